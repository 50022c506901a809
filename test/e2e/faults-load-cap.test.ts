// Five hundred matches in one poll: an edition shows as many as it may, counts the others, and links to where they are;
// none of them is lost from the ledger.
import { expect, test } from 'vitest';
import { faultHouse, faultJob, later, pagesOf } from '../helpers/fault-house.js';
import { parseMail } from '../helpers/mail.js';
import { movedClock } from '../helpers/moved-clock.js';
import { startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

const TAGS = ['rust', 'defi', 'dao', 'solana', 'react'];
const PUBLIC_URL = 'https://crier.example.org';

test('500 at once: 100 by webhook and 50 by digest, the rest counted and linked, all of them on record', {
  timeout: 90_000,
}, async () => {
  const smtp = await startSmtp();
  later(() => smtp.close());
  const house = await faultHouse({
    jobs: [faultJob(1, { tags: TAGS })],
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'Jobs <jobs@example.org>', PUBLIC_URL },
  });
  const clock = movedClock(house.dir);
  clock.set(Date.UTC(2026, 10, 25, 8));
  // A listing has a hundred postings at most, and each tag is a listing of its own.
  await house.subscriptions(`- id: all
  filter: { tags: [${TAGS}] }
  schedule: "* * * * * *"
  timezone: UTC
  destinations:
    - { sink: webhook, target: "${house.receiver.url}", cadence: immediate }
    - { sink: email, target: reader@example.org, consented: true, cadence: { daily: "09:00" } }
`);
  const program = house.run(clock.env);
  const pages = await pagesOf(program);
  await program.until('the baseline', () => program.json().some((line) => line.baseline === true));
  const flood = Array.from({ length: 500 }, (_, n) => faultJob(n + 2, { tags: [TAGS[n % 5] as string] }));
  await house.board.setJobs([...flood, faultJob(1, { tags: TAGS })]);
  await program.until('the edition', () => house.receiver.received.length > 0, 40_000);
  const [first] = house.receiver.received;
  const edition = first?.body.data as unknown as { postings: unknown[]; more: number; moreUrl: string };
  expect([edition.postings.length, edition.more]).toEqual([100, 400]);
  expect(edition.moreUrl.startsWith(`${PUBLIC_URL}/editions/`)).toBe(true);
  const page = await (await fetch(edition.moreUrl.replace(PUBLIC_URL, pages))).text();
  for (let id = 2; id <= 501; id++) expect(page).toContain(`Position ${id}<`);

  clock.set(Date.UTC(2026, 10, 25, 9));
  await house.board.addJob(faultJob(999, { tags: ['rust'] }));
  await until(() => smtp.mails.length > 0, { what: 'the digest', timeoutMs: 40_000 });
  const mail = await parseMail(smtp.mails[0]?.raw ?? Buffer.alloc(0));
  const shown = new Set((mail.text ?? '').match(/Position \d+/gu));
  expect(shown.size).toBe(50);
  const more = Number(/and (\d+) more/iu.exec(mail.text ?? '')?.[1]);
  expect([450, 451]).toContain(more);
  expect(mail.html).toContain(`${PUBLIC_URL}/editions/`);
  for (const id of [2, 250, 501]) {
    const { text } = await house.command(
      ['why', '--subscription', 'all', '--posting', `id:${id}`, '--json'],
      clock.env,
    );
    const states = [...text.matchAll(/"state": ?"(\w+)"/gu)].map(([, state]) => state);
    expect(
      states.every((state) => state === 'sent' || state === 'more'),
      text,
    ).toBe(true);
    expect(states).toHaveLength(2);
  }
  expect(smtp.mails).toHaveLength(1);
  program.kill();
  expect(await program.ended).toBe(0);
});
