// Checks whether the address in the mails leads to this service.
import { request } from 'undici';
import { codeOf, fail, off, ok, warn } from '../../domain/finding.js';
import type { Check, CheckEnv } from './check.js';

/** 'ours' when /healthz answers 200 at `base`; else the status or the error's code, in words. */
async function answerAt(
  base: string,
  { publicUrl }: CheckEnv['words'],
  signal: AbortSignal,
): Promise<string> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(8000)]);
    const { statusCode, body } = await request(`${base}/healthz`, { signal: limit });
    await body.dump();
    return statusCode === 200 ? 'ours' : publicUrl.answer({ status: statusCode });
  } catch (error) {
    return codeOf(error);
  }
}

export const publicUrlCheck: Check = {
  name: 'publicUrl',
  async run({ config, words: all }, signal) {
    const words = all.publicUrl;
    const { publicUrl, http } = config;
    if (!publicUrl) return [config.mail ? fail(words.noneForMail, words.noneForMailFix) : off(words.none)];
    const host = ['0.0.0.0', '::'].includes(http.host) ? '127.0.0.1' : http.host;
    const local = host.includes(':') ? `[${host}]` : host;
    const [outside, inside] = await Promise.all([
      answerAt(publicUrl, all, signal),
      answerAt(`http://${local}:${http.port}`, all, signal),
    ]);
    if (outside === 'ours') return [ok(words.ours)];
    if (inside !== 'ours') return [warn(words.silent({ why: outside }), words.silentFix)];
    return [
      fail(
        words.elsewhere({ why: outside, port: http.port }),
        words.elsewhereFix({ address: `http://${local}:${http.port}` }),
      ),
    ];
  },
};
