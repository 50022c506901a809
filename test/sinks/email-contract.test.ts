// The sink contract for the e-mail sink.
import type { Output } from '../../src/domain/attribution.js';
import { textsFor } from '../../src/render/texts.js';
import { parseMail, setupMail } from '../helpers/mail.js';
import { type SmtpAnswer, startSmtp } from '../helpers/smtp.js';
import { sinkContract } from './contract.js';

const FAULTS: Record<'target' | 'content' | 'outage', SmtpAnswer> = {
  target: { code: 550, text: '5.1.1 <reader@example.org> no such user' },
  content: { code: 554, text: '5.6.0 cannot take this message' },
  outage: { code: 451, text: '4.3.0 try again later' },
};

sinkContract('email', {
  badTargets: [
    '',
    'nobody',
    'a@b',
    'a b@example.org',
    'a@example.org, b@example.org',
    'a@example.org\r\nBcc: b@example.org',
    'Name <a@example.org>',
    'a@exa mple.org',
    `${'x'.repeat(65)}@example.org`,
    undefined,
    42,
    ['a@example.org'],
  ],
  faults: ['target', 'content', 'outage'],
  secrets: ['reader@example.org'],
  async open() {
    const smtp = await startSmtp();
    const { sink } = setupMail(smtp.url);
    const ids: string[] = [];
    return {
      sink,
      target: 'reader@Example.ORG',
      async received() {
        const mails = await Promise.all(smtp.mails.map(({ raw }) => parseMail(raw)));
        return mails.flatMap(({ html = '', text = '' }): Output[] => [
          { format: 'html', body: html },
          { format: 'text', body: text, note: textsFor('en').card.note },
        ]);
      },
      ids: () => {
        ids.length = 0;
        for (const { raw } of smtp.seen)
          ids.push(/^Message-ID: (.*)$/imu.exec(raw.toString('latin1'))?.[1]?.trim() ?? '');
        return ids;
      },
      fail: (fault) => void (fault === 'content' ? smtp.script.data : smtp.script.rcpt).push(FAULTS[fault]),
      hang: () => void smtp.script.data.push('hang'),
      reached: () => smtp.seen.length > 0,
      close: smtp.close,
    };
  },
});
