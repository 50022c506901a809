// Five hundred matches in one poll: a program gets all of them, in several editions; a digest shows the best, counts
// the others and links to them. None is lost.
import { expect, test } from 'vitest';
import { faultHouse, faultJob, pagesOf } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { parseMail } from '../helpers/mail.js';
import { movedClock } from '../helpers/moved-clock.js';
import { startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

const TAGS = ['rust', 'defi', 'dao', 'solana', 'react'];
const PUBLIC_URL = 'https://crier.example.org';

test('500 matches: all of them by webhook, 50 by digest with the rest counted and linked', {
  timeout: 270_000,
}, async () => {
  const smtp = await startSmtp();
  later(() => smtp.close());
  const house = await faultHouse({
    jobs: [faultJob(1, { tags: TAGS })],
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'Jobs <jobs@example.org>', PUBLIC_URL },
  });
  const clock = movedClock(house.dir);
  clock.set(Date.UTC(2026, 10, 25, 8));
  // A listing has at most a hundred postings, and each tag has a separate listing.
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
  const flood = Array.from({ length: 500 }, (_, n) =>
    faultJob(n + 2, { tags: [TAGS[n % 5] as string], remote: true }),
  );
  await house.board.setJobs([...flood, faultJob(1, { tags: TAGS })]);
  type Data = { edition: string; postings: { key: string }[]; more?: number };
  const editions = () => house.receiver.received.map((one) => one.body.data as unknown as Data);
  const handedOver = () => new Set(editions().flatMap(({ postings }) => postings.map(({ key }) => key)));
  await program.until('all 500 at the webhook', () => handedOver().size === 500, 40_000);
  expect(new Set(editions().map(({ edition }) => edition)).size).toBe(editions().length);
  for (const { postings, more } of editions()) {
    expect(postings.length).toBeLessThanOrEqual(100);
    expect(more).toBeUndefined();
  }

  clock.set(Date.UTC(2026, 10, 25, 9));
  await house.board.addJob(faultJob(999, { tags: ['rust'] }));
  await until(() => smtp.mails.length > 0, { what: 'the digest', timeoutMs: 40_000 });
  const mail = await parseMail(smtp.mails[0]?.raw ?? Buffer.alloc(0));
  const shown = new Set((mail.text ?? '').match(/Position \d+/gu));
  expect(shown.size).toBe(50);
  const more = Number(/and (\d+) more/iu.exec(mail.text ?? '')?.[1]);
  expect([450, 451]).toContain(more);
  const link = new RegExp(`${PUBLIC_URL}/editions/[\\w.-]+`, 'u').exec(mail.html ?? '')?.[0] ?? '';
  const page = await (await fetch(link.replace(PUBLIC_URL, pages))).text();
  for (let id = 2; id <= 501; id++) expect(page).toContain(`Position ${id}<`);
  // Each of them counted once.
  const [, total, remote] = /(\d+) new, (\d+) remote/u.exec(page) ?? [];
  expect([500, 501]).toContain(Number(total));
  expect(Number(remote)).toBeLessThanOrEqual(Number(total));
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
