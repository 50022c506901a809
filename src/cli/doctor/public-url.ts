// Checks whether the address in the mails leads to this service.
import { request } from 'undici';
import { codeOf, fail, off, ok, warn } from '../../domain/finding.js';
import type { Check } from './check.js';

/** 'ours' when /healthz answers 200 at `base`; else the status or the error's code, in words. */
async function answerAt(base: string, signal: AbortSignal): Promise<string> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(8000)]);
    const { statusCode, body } = await request(`${base}/healthz`, { signal: limit });
    await body.dump();
    return statusCode === 200 ? 'ours' : `answer ${statusCode}`;
  } catch (error) {
    return codeOf(error);
  }
}

export const publicUrlCheck: Check = {
  name: 'PUBLIC_URL',
  async run({ config }, signal) {
    const { publicUrl, http } = config;
    if (!publicUrl)
      return [
        config.mail
          ? fail('not set, so mails have no confirm and unsubscribe links', 'set PUBLIC_URL=https://…')
          : off('not set'),
      ];
    const host = ['0.0.0.0', '::'].includes(http.host) ? '127.0.0.1' : http.host;
    const local = host.includes(':') ? `[${host}]` : host;
    const [outside, inside] = await Promise.all([
      answerAt(publicUrl, signal),
      answerAt(`http://${local}:${http.port}`, signal),
    ]);
    if (outside === 'ours') return [ok('leads to this service')];
    if (inside !== 'ours')
      return [
        warn(
          `does not answer (${outside}), nor does the service here`,
          'start the service, then run this again',
        ),
      ];
    return [
      fail(
        `does not lead to this service (${outside}), which answers on port ${http.port}`,
        `configure the web server of that name to pass requests to http://${local}:${http.port}`,
      ),
    ];
  },
};
