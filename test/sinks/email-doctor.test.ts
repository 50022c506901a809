// What `jobcrier doctor` finds about the mail relay and about the DNS records of the sender.
import { generateKeyPairSync } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { textsFor } from '../../src/render/texts.js';
import { checks, dnsLookUp, mailRecords, senderRecords } from '../../src/sinks/email/doctor.js';
import type { SinkSettings } from '../../src/sinks/settings.js';
import { silent } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { startSmtp } from '../helpers/smtp.js';

const { doctor: words } = textsFor('en');

function run(name: 'mailRelay' | 'mailRecords', of: object) {
  const check = checks.find((one) => one.name === name);
  if (!check) throw new Error(`no check ${name}`);
  const about = { log: silent, words, targets: async () => new Map<string, string>() };
  return check.run(of as SinkSettings, about, new AbortController().signal);
}

const relay = (url: string) => run('mailRelay', { mail: { smtpUrl: secret(url), from: 'a@localhost' } });

/** The same server, by an address of this machine that does not show that it is this machine. */
const abroad = (url: string) => url.replace('127.0.0.1', '0.0.0.0');

async function start(options: Parameters<typeof startSmtp>[0] = {}) {
  const smtp = await startSmtp(options);
  later(() => smtp.close());
  return smtp;
}

test('without SMTP_URL both checks are off', async () => {
  for (const name of ['mailRelay', 'mailRecords'] as const)
    expect(await run(name, {})).toEqual([{ state: 'off', says: 'SMTP_URL is not set' }]);
});

describe('the mail relay', () => {
  const untrusted = {
    state: 'fail',
    says: 'the encrypted connection to 127.0.0.1 fails (CERT_HAS_EXPIRED)',
    fix: 'port 465 requires smtps://, port 587 requires smtp://; the certificate must be valid and match the host name',
  };

  test('on this machine needs no encryption', async () => {
    const smtp = await start();
    expect(await relay(smtp.url)).toEqual([{ state: 'ok', says: 'the connection to 127.0.0.1 works' }]);
    expect(smtp.connections).toBe(1);
    expect(smtp.seen).toEqual([]);
  });

  test('gets user and password as they were before they were written into the address', async () => {
    const smtp = await start({ login: true });
    smtp.password = 'p@ss/w ord';
    expect(await relay(smtp.url.replace('secret', 'p%40ss%2Fw%20ord'))).toMatchObject([{ state: 'ok' }]);
    expect(await relay(smtp.url)).toEqual([
      {
        state: 'fail',
        says: '127.0.0.1 refuses user or password, answer 535',
        fix: 'check SMTP_URL; write @ and / in a password as %40 and %2F',
      },
    ]);
  });

  test('elsewhere gets no password over a connection that is not encrypted', async () => {
    const smtp = await start({ login: true });
    smtp.script.auth.push('accept');
    expect(await relay(abroad(smtp.url))).toEqual([
      {
        state: 'fail',
        says: '0.0.0.0 offers no STARTTLS, so the password is not sent and no mail goes out',
        fix: 'use smtps:// or a relay that encrypts; if the connection is safe, add ?requireTLS=false to the address',
      },
    ]);
    expect(smtp.script.auth).toHaveLength(1);
  });

  test.each([
    [true, 'requireTLS=false', 'password and mails are readable'],
    [true, 'ignoreTLS=true', 'password and mails are readable'],
    [false, '', 'mails are readable'],
    [false, 'ignoreTLS=true', 'mails are readable'],
  ])('elsewhere that does not encrypt, login %s, with %s: %s', async (login, choice, says) => {
    const smtp = await start({ login });
    expect(await relay(`${abroad(smtp.url)}?${choice}`)).toEqual([
      {
        state: 'warn',
        says: `the connection to 0.0.0.0 is not encrypted: ${says}`,
        fix: 'use smtps:// or a relay that encrypts',
      },
    ]);
  });

  test('elsewhere that refuses the password is reported, although the connection may be readable', async () => {
    const smtp = await start({ login: true });
    smtp.script.auth.push({ code: 535, text: '5.7.8 no' });
    expect(await relay(`${abroad(smtp.url)}?requireTLS=false`)).toMatchObject([
      { state: 'fail', says: '0.0.0.0 refuses user or password, answer 535' },
    ]);
  });

  test('that encrypts works, if its certificate is trusted or need not be', async () => {
    for (const tls of ['start', 'starttls'] as const) {
      const smtp = await start({ login: true, tls });
      const trusted = `${abroad(smtp.url)}?tls.rejectUnauthorized=false`;
      expect(await relay(trusted)).toEqual([
        { state: 'ok', says: 'the connection to 0.0.0.0 works and is encrypted' },
      ]);
      smtp.script.auth.push('accept');
      for (const choice of ['', '?tls.rejectUnauthorized=true'])
        expect(await relay(`${smtp.url}${choice}`)).toEqual([untrusted]);
      expect(smtp.script.auth).toHaveLength(1);
    }
  });

  test('elsewhere that encrypts and refuses the password is asked once', async () => {
    const smtp = await start({ login: true, tls: 'starttls' });
    smtp.script.auth.push({ code: 535, text: '5.7.8 no' }, 'accept');
    expect(await relay(`${abroad(smtp.url)}?tls.rejectUnauthorized=false`)).toMatchObject([
      { state: 'fail', says: '0.0.0.0 refuses user or password, answer 535' },
    ]);
    expect(smtp.script.auth).toHaveLength(1);
  });

  test('that offers STARTTLS and then refuses it is reported', async () => {
    const refusing = createServer((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (line) =>
        socket.write(/^STARTTLS/u.test(String(line)) ? '454 not now\r\n' : '250-here\r\n250 STARTTLS\r\n'),
      );
      later(() => void socket.destroy());
    });
    await new Promise<void>((done) => refusing.listen(0, '127.0.0.1', done));
    later(() => void refusing.close());
    const { port } = refusing.address() as { port: number };
    expect(await relay(`smtp://127.0.0.1:${port}`)).toEqual([
      { ...untrusted, says: 'the encrypted connection to 127.0.0.1 fails (ETLS)' },
    ]);
  });

  test('elsewhere that encrypts is not used readably unless that was chosen', async () => {
    const smtp = await start({ tls: 'starttls' });
    expect(await relay(`${abroad(smtp.url)}?ignoreTLS=true`)).toMatchObject([{ state: 'warn' }]);
    expect(await relay(abroad(smtp.url))).toMatchObject([{ state: 'fail' }]);
  });

  test('that speaks another protocol than the address says, or is not there', async () => {
    const smtp = await start({ tls: 'start' });
    const plain = await start();
    expect(await relay(plain.url.replace('smtp:', 'smtps:'))).toEqual([
      { ...untrusted, says: 'the encrypted connection to 127.0.0.1 fails (ERR_SSL_WRONG_VERSION_NUMBER)' },
    ]);
    await smtp.close();
    expect(await relay(smtp.url)).toEqual([
      {
        state: 'fail',
        says: "127.0.0.1 can't be reached (ECONNREFUSED)",
        fix: 'check the host and port in SMTP_URL, and that no firewall blocks outgoing mail',
      },
    ]);
  });

  test('that refuses the connection with an answer is reported with its code', async () => {
    const refusing = createServer((socket) => socket.end('554 5.3.2 no service here\r\n'));
    await new Promise<void>((done) => refusing.listen(0, '127.0.0.1', done));
    later(() => new Promise((done) => refusing.close(done)));
    const { port } = refusing.address() as { port: number };
    expect(await relay(`smtp://127.0.0.1:${port}`)).toMatchObject([
      { state: 'fail', says: expect.stringMatching(/^127\.0\.0\.1 can't be reached \(\w+, answer 554\)$/u) },
    ]);
  });

  test('by an IPv6 address', async () => {
    const smtp = await start();
    const ipv6 = smtp.url.replace('127.0.0.1', '[::ffff:127.0.0.1]');
    expect(await relay(ipv6)).toMatchObject([
      {
        state: 'warn',
        says: expect.stringMatching(/^the connection to \[::ffff:[\w:]+\] is not encrypted/u),
      },
    ]);
  });

  test.each(['email-smtp.AMAZONAWS.com', 'smtp.mailgun.org', 'smtp.resend.com'])(
    '%s rewrites links unless that is switched off there',
    async (host) => {
      const findings = await relay(`smtps://user:secret@${host}.invalid`);
      expect(findings[0]).toMatchObject({ state: 'fail' });
      expect(findings.slice(1)).toEqual([
        {
          state: 'warn',
          says: `${host}.invalid can rewrite links to count clicks`,
          fix: 'switch click tracking off there: the jobs API forbids altered links',
        },
      ]);
    },
  );
});

/**
 * A name server with these TXT records; it does not know other names. Returns its address, and the names it was asked for.
 * `broken`: it refuses to answer (RFC 1035, section 4.1.1, response codes).
 */
async function startNameServer(records: Readonly<Record<string, readonly string[]>>, broken = false) {
  const asked: string[] = [];
  const server = createSocket('udp4', (question, from) => {
    const end = question.indexOf(0, 12);
    const name = question
      .subarray(13, end)
      .toString('latin1')
      .replaceAll(/[^a-z0-9_-]/giu, '.');
    asked.push(name);
    const texts = records[name] ?? [];
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 + (broken ? 5 : texts.length === 0 && !(name in records) ? 3 : 0), 2);
    head.writeUInt16BE(texts.length, 6);
    head.writeUInt32BE(0, 8);
    const answers = texts.map((text) => {
      // A text is sent in parts of at most 255 bytes.
      const parts = [...text.matchAll(/.{1,200}/gu)].map(([part]) =>
        Buffer.concat([Buffer.of(part.length), Buffer.from(part)]),
      );
      const data = Buffer.concat(parts);
      const about = Buffer.from('c00c00100001000000000000', 'hex');
      about.writeUInt16BE(data.length, 10);
      return Buffer.concat([about, data]);
    });
    server.send(Buffer.concat([head, question.subarray(12, end + 5), ...answers]), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  later(async () => void server.close());
  return { address: `127.0.0.1:${server.address().port}`, asked };
}

describe('the records of the sender', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const key = { domain: 'example.org', selector: 's1', pem };
  const DKIM = 's1._domainkey.example.org';
  const zone = (records: Record<string, string[]>) => async (name: string) => records[name] ?? [];
  const found = async (domain: string, records: Record<string, string[]>, own?: typeof key) =>
    (await mailRecords(domain, own, words.mail, zone(records))).map(({ state, says, fix }) =>
      [state, says, ...(fix ? [fix] : [])].join(' | '),
    );

  test('are accepted when they fit', async () => {
    const records = {
      'mail.example.org': ['v=spf1 include:relay -all', 'something else', 'not v=spf1'],
      '_dmarc.example.org': ['x', 'v=DMARC1; p=none'],
      [DKIM]: ['any text', `v=DKIM1; k=rsa; p=${published.slice(0, 90)} ${published.slice(90)}; t=s`],
    };
    expect(await found('mail.example.org', records, key)).toEqual([
      'ok | mail.example.org has an SPF record',
      'ok | example.org has a DMARC record',
      `ok | the DKIM record at ${DKIM} matches DKIM_KEY`,
    ]);
    // The first tag of a record may be the key.
    expect((await found('mail.example.org', { [DKIM]: [`p=${published}`] }, key))[2]).toMatch(/^ok /u);
  });

  test('are reported one by one when they are missing', async () => {
    expect(await found('example.org', { '_dmarc.example.org': ['v=spf1', 'no v=DMARC1'] }, key)).toEqual([
      'warn | example.org has no SPF record | add a TXT record "v=spf1 …" that names your relay; the provider of the relay documents the value',
      'warn | example.org has no DMARC record | add a TXT record at _dmarc.example.org, at the least "v=DMARC1; p=none"',
      `warn | there is no DKIM record at ${DKIM} | add a TXT record there: "v=DKIM1; k=rsa; p=${published}"`,
    ]);
    expect(await found('example.org', {})).toHaveLength(2);
  });

  test('are reported when they are doubled or for another key', async () => {
    const records = { 'example.org': ['v=spf1 -all', 'V=SPF1 +all'], [DKIM]: ['v=DKIM1; k=rsa; p=AAAA'] };
    const findings = await found('example.org', records, key);
    expect(findings[0]).toBe(
      'warn | example.org has 2 SPF records, which counts as none | merge them into one record',
    );
    expect(findings[2]).toBe(
      `warn | the DKIM record at ${DKIM} does not match DKIM_KEY | change it to "v=DKIM1; k=rsa; p=${published}"`,
    );
  });

  test('of DMARC count for the domain itself, and for its subdomains', async () => {
    const policy = ['v=DMARC1; p=none'];
    const of = async (domain: string, records: Record<string, string[]>) => (await found(domain, records))[1];
    expect(await of('a.b.example.org', { '_dmarc.a.b.example.org': policy })).toBe(
      'ok | a.b.example.org has a DMARC record',
    );
    expect(await of('a.b.example.org', { '_dmarc.example.org': policy })).toBe(
      'ok | example.org has a DMARC record',
    );
    expect(await of('mail.example.co.uk', { '_dmarc.example.co.uk': policy })).toBe(
      'ok | example.co.uk has a DMARC record',
    );
    expect(await of('example.org', { '_dmarc.org': policy })).toMatch(/^warn/u);
    expect(await of('a.example.org', { '_dmarc.b.example.org': policy })).toMatch(/^warn/u);
    expect(await of('example.org', { '_dmarc.example.org': policy })).toBe(
      'ok | example.org has a DMARC record',
    );
  });

  const records = {
    'example.org': ['v=spf1 -all'],
    '_dmarc.example.org': [],
    [DKIM]: [`v=DKIM1; k=rsa; p=${published}`],
  };
  const sender = (from: string, server: string) =>
    senderRecords({ from, dkim: { ...key, key: secret(pem) } }, words.mail, dnsLookUp([server]));

  test.for(['"x@other.example, and more" <jobs@example.org>', 'jobs@example.org'])(
    'are looked up at the name server for the domain of %s',
    async (from) => {
      const { address, asked } = await startNameServer(records);
      expect((await sender(from, address)).map(({ state, says }) => `${state}: ${says}`)).toEqual([
        'ok: example.org has an SPF record',
        'warn: example.org has no DMARC record',
        `ok: the DKIM record at ${DKIM} matches DKIM_KEY`,
      ]);
      expect(asked.toSorted()).toEqual(['_dmarc.example.org', 'example.org', DKIM]);
    },
  );

  test('are missing when the name does not exist', async () => {
    const { address } = await startNameServer({});
    expect((await sender('jobs@sub.example.org', address)).map(({ state }) => state)).toEqual([
      'warn',
      'warn',
      'warn',
    ]);
  });

  test("can't be checked when the name server refuses to answer", async () => {
    const { address } = await startNameServer(records, true);
    expect((await sender('jobs@example.org', address)).map(({ says }) => says)).toEqual(
      Array(3).fill('records of example.org could not be looked up (EREFUSED)'),
    );
  });

  test("can't be checked when no name server answers, which is reported for each", async () => {
    const lookUp = async () => {
      throw Object.assign(new Error('x'), { code: 'ETIMEOUT' });
    };
    expect(await mailRecords('example.org', key, words.mail, lookUp)).toEqual(
      Array(3).fill({
        state: 'warn',
        says: 'records of example.org could not be looked up (ETIMEOUT)',
        fix: "check this machine's name server",
      }),
    );
  });
});
