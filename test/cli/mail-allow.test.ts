// A suppressed address, beside a running service: its owner has fixed the mailbox, and the operator allows it again.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBoard } from '../helpers/board.js';
import { cliFolder } from '../helpers/cli.js';
import { later } from '../helpers/later.js';
import { startProgram } from '../helpers/process.js';
import { rustJob } from '../helpers/reader-house.js';
import { startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

it('allows an address beside a running service, and what waited is sent after a resume', {
  tags: 'long',
  timeout: 360_000,
}, async () => {
  const board = await startBoard({ jobs: [rustJob(1)] });
  const smtp = await startSmtp();
  const env = {
    JOBS_API_URL: board.url,
    JOBS_API_TOKEN: board.token,
    MIN_POLL_SECONDS: '1',
    API_SPACING_MS: '5',
    HTTP_PORT: '0',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'crier@example.org',
    PUBLIC_URL: 'https://crier.example.org',
    SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
  };
  const { dir, run } = await cliFolder(env);
  await mkdir(join(dir, 'config'));
  await writeFile(
    join(dir, 'config', 'subscriptions.yaml'),
    `- id: a
  filter: { tags: [rust] }
  schedule: "* * * * * *"
  destinations: [{ sink: email, target: reader@example.org, consented: true, cadence: immediate }]
`,
  );
  const service = startProgram(['run'], { cwd: dir, env });
  later(
    () => board.close(),
    () => smtp.close(),
    async () => {
      service.kill('SIGKILL');
      await service.ended;
    },
  );
  await service.until('the baseline', () => service.json().some((line) => line.baseline === true));
  smtp.script.rcpt.push({ code: 550, text: '5.1.1 <reader@example.org> unknown' });
  await board.addJob(rustJob(2));
  await service.until('the address to be given up', () =>
    service.stdout.some((line) => line.includes('address given up')),
  );

  const { code, json } = await run(['mail', 'allow', 'Reader@Example.org', '--json']);
  expect([code, json()]).toEqual([0, { wasGivenUp: true, why: 'SMTP 550 5.1.1 to the recipient' }]);
  const again = await run(['mail', 'allow', 'reader@example.org']);
  expect(again.err + again.out).toContain('was not given up');
  expect(await run(['subscriptions', 'resume', 'a'])).toMatchObject({ code: 0 });
  await until(() => smtp.mails.length === 1, { what: 'the mail', timeoutMs: 30_000 });
  expect(await run(['mail', 'allow', 'nobody'])).toMatchObject({ code: 2 });
});
