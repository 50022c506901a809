// Mails made to be slow to read. Reading them in quadratic time would take minutes, far beyond the timeout of a test.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { parseAddress, verpAddress } from '../../src/sinks/email/address.js';
import { readRelay } from '../../src/sinks/email/relay-reports.js';
import { LARGEST_REPORT, readReport, reportToken, unsubscribeToken } from '../../src/sinks/email/reports.js';
import { setupMail } from '../helpers/mail.js';
import { until } from '../helpers/until.js';

const TOKEN = 'ab'.repeat(16);
const TO = verpAddress('digest@crier.example.org', TOKEN);
const BLOCK = 'Final-Recipient: rfc822; gone@example.org\nAction: failed\nStatus: 5.0.0\n\n';

/** The largest mail that is read, filled with repetitions of `piece`. */
function filled(head: string, piece: string): string {
  const room = LARGEST_REPORT - head.length;
  return head + piece.repeat(Math.floor(room / piece.length));
}

const SLOW: Readonly<Record<string, string>> = {
  'blocks and nothing else': filled(`To: ${TO}\n\n`, BLOCK),
  'blocks, and then empty lines': filled(`To: ${TO}\n\n${BLOCK.repeat(1000)}`, '\n'),
  'blocks, and then lines of spaces': filled(`To: ${TO}\n\n${BLOCK.repeat(1000)}`, ' \n'),
  'blocks, and then lines that quote the address': filled(
    `To: ${TO}\n\n${BLOCK.repeat(1000)}`,
    'gone@example.org 550 x\n',
  ),
  'blocks, and then answers of servers': filled(
    `To: ${TO}\n\n${BLOCK.repeat(1000)}`,
    'gone@example.org 550 5.1.\n550 4.1.1 gone@example.org\n',
  ),
  'one header that is folded without end': filled(`To: ${TO}\nSubject:`, ' x\n '),
  'one header of spaces': filled(`To: ${TO}\nSubject: unsubscribe`, ' '),
  'headers of one name': filled(`To: ${TO}\n`, 'Status:\n'),
  'carriage returns': filled(`To: ${TO}\n`, '\r'),
  'carriage returns and line ends': filled(`To: ${TO}\n`, '\r\n \r\n'),
  'one block of ever more fields': filled(`To: ${TO}\n\nStatus: 5.0.0\nAction: failed\n`, 'a:\n'),
  'addresses that are none': filled('To: ', '+b0123456789abcdef0123456789abcdef'),
  brackets: filled('To: ', '<'),
  'digits and dots': filled(`To: ${TO}\n\nStatus: 5.0.0\nAction: failed\nDiagnostic-Code: `, '550 5.1'),
};

describe('a mail of the largest size', () => {
  test.each(Object.entries(SLOW))('with %s is read quickly', (_name, mail) => {
    expect(mail.length).toBeGreaterThan(LARGEST_REPORT - 200);
    expect(readReport(mail).length).toBeLessThanOrEqual(50);
    reportToken(mail);
    unsubscribeToken(mail);
    readRelay(mail, 'text/plain');
  });

  test('is not read if it is any larger', () => {
    const mail = filled(`To: ${TO}\n\n${BLOCK}`, '\n');
    expect(readReport(mail)).toHaveLength(1);
    expect(readReport(`${mail}${'\n'.repeat(100)}`)).toEqual([]);
  });

  test('yields fifty recipients at most, and one when it is about one of our mails', () => {
    expect(readReport(`To: digest@crier.example.org\n\n${BLOCK.repeat(51)}`)).toHaveLength(50);
    expect(readReport(`To: ${TO}\n\n${BLOCK.repeat(51)}`)).toHaveLength(1);
  });
});

test('reads JSON of the largest size quickly, whatever its shape', () => {
  for (const body of [
    filled('[', '{},').replace(/,$/u, ']'),
    filled('[', '{"recipient":"a@b.example","status":"5.1.1"},').replace(/,$/u, ']'),
    '['.repeat(LARGEST_REPORT / 2) + ']'.repeat(LARGEST_REPORT / 2),
    JSON.stringify({
      RecordType: 'Bounce',
      Type: 'HardBounce',
      Email: 'a@b.example',
      Details: '5.'.repeat(100_000),
    }),
    JSON.stringify({ recipient: `${'a.'.repeat(100_000)}@b.example`, status: '5.1.1' }),
    `${' '.repeat(LARGEST_REPORT - 2)}{}`,
  ])
    readRelay(body, 'application/json');
});

test('refuses an endless address before parsing it', () => {
  for (const piece of ['a', '.', '@', '-', 'ü', 'xn--', 'a.', '\u0301'])
    expect(() => parseAddress(`a@${piece.repeat(1_000_000)}.example`)).toThrow(/one mail address/u);
});

describe('a maildir', () => {
  const folders: string[] = [];

  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  async function watched() {
    const folder = await mkdtemp(join(tmpdir(), 'crier-maildir-'));
    folders.push(folder);
    for (const part of ['new', 'cur', 'tmp']) await mkdir(join(folder, part));
    const setup = setupMail('smtp://127.0.0.1:9', {
      settings: {
        smtpUrl: secret('smtp://127.0.0.1:9'),
        from: 'digest@crier.example.org',
        bounceMaildir: folder,
      },
    });
    const read = async () => {
      await setup.sink.start?.();
      await until(async () => (await readdir(join(folder, 'new'))).length === 0);
      await setup.sink.close?.();
    };
    return { folder, setup, read };
  }

  test('continues after a mail that is too large, and logs that mail once', async () => {
    const { folder, setup, read } = await watched();
    const hostile = `To: ${TO}\n\n${BLOCK.repeat(1000)}${'\n'.repeat(1_800_000)}`;
    await writeFile(join(folder, 'new', '1.large'), hostile);
    await writeFile(join(folder, 'new', '2.good'), `To: ${TO}\n\n${BLOCK.replace('5.0.0', '5.1.1')}`);
    await read();
    expect((await readdir(join(folder, 'cur'))).sort()).toEqual(['1.large:2,S', '2.good:2,S']);
    expect(setup.table.dump()).toContain(`mail:suppressed:${TOKEN}`);
    const told = setup.log.lines.filter((line) => line.includes('too large'));
    expect(told).toHaveLength(1);
    expect(told[0]).not.toContain('1.large');
  });

  test('moves a mail before it is read, so that one that crashes the process is not read again', async () => {
    const { folder, setup, read } = await watched();
    const places: (readonly string[])[] = [];
    const { set } = setup.table;
    setup.table.set = async (...row) => {
      places.push(await readdir(join(folder, 'new')), await readdir(join(folder, 'cur')));
      return set(...row);
    };
    await writeFile(join(folder, 'new', '1.a'), `To: ${TO}\n\n${BLOCK.replace('5.0.0', '5.1.1')}`);
    await read();
    expect(places.slice(0, 2)).toEqual([[], ['1.a:2,S']]);
  });

  test('continues after an entry that is not a file', async () => {
    const { folder, setup, read } = await watched();
    await mkdir(join(folder, 'new', '1.folder'));
    await writeFile(join(folder, 'new', '2.good'), `To: ${TO}\n\n${BLOCK.replace('5.0.0', '5.1.1')}`);
    await read();
    expect(setup.table.dump()).toContain(`mail:suppressed:${TOKEN}`);
  });
});
