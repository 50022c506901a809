// The list of sinks: complete, off with a reason, and open to sink modules that fit.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import type { Sink } from '../../src/ports/sink.js';
import type { Log, Metrics } from '../../src/ports/system.js';
import { BUILT_IN, closeSinks, createSinks, type SinkSettings, whyNoSink } from '../../src/sinks/index.js';

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const metrics: Metrics = { count() {}, observe() {} };
const BARE: SinkSettings = { source: 'Example Board', webhook: { allowPrivate: false }, extra: [] };

let folder: string;
let open: Sink[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jobcrier-sinks-'));
});
afterEach(async () => {
  for (const sink of open.splice(0)) await sink.close?.();
  await rm(folder, { recursive: true, force: true });
});

async function make(settings: Partial<SinkSettings> = {}): Promise<ReadonlyMap<string, Sink>> {
  const deps = { log, metrics, clock: { now: () => Date.now() }, stdout: new PassThrough() };
  const sinks = await createSinks({ ...BARE, configDir: folder, ...settings }, deps);
  open = [...sinks.values()];
  return sinks;
}

describe('the built-in sinks', () => {
  test('are the folders of src/sinks', async () => {
    const entries = await readdir(new URL('../../src/sinks', import.meta.url), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders.sort()).toEqual(Object.keys(BUILT_IN).sort());
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(files.sort()).toEqual(['index.ts', 'settings.ts', 'third-party.ts']);
  });

  test('are on if the settings allow it, each under its name', async () => {
    expect([...(await make()).keys()]).toEqual(['console', 'webhook']);
    const all = await make({
      discord: { token: secret('x'.repeat(40)) },
      telegram: { token: secret('1:a-token') },
      mail: { smtpUrl: secret('smtp://127.0.0.1:1'), from: 'jobs@example.org' },
    });
    expect([...all.keys()]).toEqual(Object.keys(BUILT_IN));
    for (const [name, sink] of all) expect(sink.name).toBe(name);
  });

  test('parse an address in a command that has no mail stores', async () => {
    const sinks = await make({ mail: { smtpUrl: secret('smtp://127.0.0.1:1'), from: 'jobs@example.org' } });
    expect(sinks.get('email')?.parseTarget('Me@Example.ORG')).toBe('Me@example.org');
    expect(() => sinks.get('email')?.parseTarget('me')).toThrow(UserError);
    expect(sinks.get('email')?.isPrivate?.('me@example.org')).toBe(true);
    const deliver = sinks.get('email')?.deliver as () => Promise<unknown>;
    await expect(deliver()).rejects.toThrow('This command sends no mail; the service does.');
  });

  test('are closed together, and those that fail are named', async () => {
    const sink = (name: string, close?: () => Promise<void>) => ({ name, ...(close && { close }) }) as Sink;
    const ended: string[] = [];
    const failed: string[] = [];
    const sinks = [
      sink('first', async () => void ended.push('first')),
      sink('broken', () => Promise.reject(new Error('no'))),
      sink('worse', () => {
        throw new Error('never');
      }),
      sink('plain'),
      sink('last', async () => void ended.push('last')),
    ];
    await closeSinks(sinks, (name, reason) => failed.push(`${name}: ${reason}`));
    expect(ended).toEqual(['first', 'last']);
    expect(failed.sort()).toEqual(['broken: no', 'worse: never']);
    await closeSinks(sinks);
  });

  test('report what to set if one is off, and what there is if one is not known', () => {
    expect(whyNoSink('email')).toBe('e-mail is off: set SMTP_URL and MAIL_FROM.');
    expect(whyNoSink('discord')).toMatch(/DISCORD_TOKEN/u);
    for (const name of ['pigeon', 'constructor', '__proto__', ''])
      expect(whyNoSink(name)).toMatch(/not known; wanted console, discord, email, telegram, webhook or/u);
  });
});

const GOOD = `
  export function createSink({ source, log, clock, metrics }) {
    if (!source || !log.info || !clock.now || !metrics.count) throw new Error('options are missing');
    return { name: 'pigeon', parseTarget: (target) => String(target), deliver: async () => {} };
  }`;

describe('sink modules', () => {
  test('are found by path, relative to the configuration, absolute, or as a URL', async () => {
    const path = join(folder, 'pigeon.mjs');
    await writeFile(path, GOOD);
    for (const spec of ['./pigeon.mjs', 'pigeon.mjs', path, `file://${path}`]) {
      const sinks = await make({ extra: [spec] });
      expect(sinks.get('pigeon')?.parseTarget(7)).toBe('7');
    }
  });

  test.each([
    ['a creator with another name', 'pigeon.mjs', GOOD.replace('createSink(', 'createPigeonSink(')],
    ['a promise', 'pigeon.mjs', GOOD.replace('export function', 'export async function')],
    ['CommonJS', 'pigeon.cjs', GOOD.replace('export function createSink', 'exports.createSink = function')],
    [
      'a class',
      'pigeon.mjs',
      `
      class Pigeon { name = 'pigeon'; prefix = ''; parseTarget(t) { return this.prefix + t; } async deliver() {} }
      export const createSink = () => new Pigeon();`,
    ],
  ])('may be %s', async (_what, file, text) => {
    await writeFile(join(folder, file), text);
    expect((await make({ extra: [file] })).get('pigeon')?.parseTarget('x')).toBe('x');
  });

  test.each([
    ['main.cjs', '"main": "main.cjs"'],
    ['index.js', '"type": "commonjs"'],
    ['main.js', '"type": "module", "exports": "./main.js"'],
    ['main.js', '"type": "module", "exports": { ".": { "types": "./x.d.ts", "import": "./main.js" } }'],
  ])('can be a package beside the configuration, %s by %s', async (file, how) => {
    const home = join(folder, 'node_modules', '@crier', 'pigeon');
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'package.json'), `{ "name": "@crier/pigeon", ${how} }`);
    const esm = how.includes('"module"');
    await writeFile(
      join(home, file),
      esm ? GOOD : GOOD.replace('export function createSink', 'exports.createSink = function'),
    );
    expect((await make({ extra: ['@crier/pigeon'] })).has('pigeon')).toBe(true);
  });

  test.each<[string, string, RegExp]>([
    ['exports nothing of the kind', 'export const sink = {};', /exports no createSink; wanted/u],
    [
      'fails',
      "export const createSink = () => { throw new Error('PIGEON_COOP is not set'); };",
      /PIGEON_COOP is not set/u,
    ],
    ['gives nothing', 'export const createSink = () => undefined;', /gave no object/u],
    ['has no name', GOOD.replace("name: 'pigeon',", ''), /name is not a word/u],
    ['has a name that is no word', GOOD.replace("'pigeon'", "'Pi geon'"), /name is not a word/u],
    ['cannot deliver', GOOD.replace('deliver: async () => {}', 'send() {}'), /deliver is no function/u],
    ['has a wrong extra', GOOD.replace('deliver:', 'pack: 3, deliver:'), /pack is no function/u],
    ['takes the name of another', GOOD.replace("'pigeon'", "'console'"), /named "console" already/u],
    ['takes the name of one that is off', GOOD.replace("'pigeon'", "'email'"), /named "email" already/u],
    ['is no JavaScript', 'export const createSink = (', /can't be loaded/u],
    ['imports what is not there', "import './nowhere.mjs';", /can't be loaded: .*nowhere/u],
  ])('stop the start with the name of one that %s', async (_what, text, why) => {
    await writeFile(join(folder, 'pigeon.mjs'), text);
    const error = await make({ extra: ['./pigeon.mjs'] }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^SINKS: \.\/pigeon\.mjs: /u),
    });
    expect((error as Error).message).toMatch(why);
  });

  test.each(['isShared', 'nameOf', 'obstacle', 'welcome', 'begin', 'pack', 'restMs', 'start', 'close'])(
    'may have %s, which must be a function',
    async (verb) => {
      const path = join(folder, 'pigeon.mjs');
      await writeFile(path, GOOD.replace('deliver:', `${verb}: 3, deliver:`));
      await expect(make({ extra: [path] })).rejects.toThrow(
        `SINKS: ${path}: ${verb} is no function; wanted a module that exports createSink(options)`,
      );
      const good = join(folder, 'good.mjs');
      await writeFile(good, GOOD.replace('deliver:', `${verb}() {}, deliver:`));
      expect((await make({ extra: [good] })).has('pigeon')).toBe(true);
    },
  );

  test('have all their faults in one message', async () => {
    await writeFile(join(folder, 'pigeon.mjs'), "export const createSink = () => ({ name: 'pigeon!' });");
    await expect(make({ extra: ['./pigeon.mjs'] })).rejects.toThrow(
      'SINKS: ./pigeon.mjs: name is not a word of lower-case letters, digits and dashes; parseTarget is no function; deliver is no function; wanted',
    );
  });

  test('get the address of the pages only if there is one', async () => {
    const path = join(folder, 'pigeon.mjs');
    await writeFile(path, GOOD.replace("'pigeon'", "'publicUrl' in arguments[0] ? 'pages' : 'none'"));
    expect((await make({ extra: [path], publicUrl: 'https://crier.example.org' })).has('pages')).toBe(true);
    expect((await make({ extra: [path], publicUrl: '' })).has('none')).toBe(true);
  });

  test('are taken by the name of their creator', async () => {
    const creator = (name: string, text: string) => `const a${name} = () => ({ ...${text} });
      export { a${name} as ${name} };`;
    const sink = (name: string) => `{ name: '${name}', parseTarget: String, deliver: async () => {} }`;
    const others = ['recreatePigeonSink', 'createPigeonSinks', 'create'].map((name) =>
      creator(name, sink('no')),
    );
    await writeFile(join(folder, 'one.mjs'), others.join('\n'));
    await expect(make({ extra: ['./one.mjs'] })).rejects.toThrow('exports no createSink');
    const good = ['export const createSink = 3;', ...others, creator('createPigeonSink', sink('yes'))];
    await writeFile(join(folder, 'two.mjs'), good.join('\n'));
    expect((await make({ extra: ['./two.mjs'] })).has('yes')).toBe(true);
  });

  test("are closed if they can't be used, or if another one can't", async () => {
    const closing = (name: string) =>
      GOOD.replace("'pigeon'", `'${name}'`).replace(
        'deliver:',
        `async close() { (globalThis.closedSinks ??= []).push('${name}'); }, deliver:`,
      );
    for (const name of ['good', 'console']) await writeFile(join(folder, `${name}.mjs`), closing(name));
    await expect(make({ extra: ['./good.mjs', './console.mjs', './nowhere.mjs'] })).rejects.toThrow(
      /named "console" already; wanted another name[\s\S]*nowhere/u,
    );
    const world = globalThis as { closedSinks?: string[] };
    expect(world.closedSinks).toEqual(['console', 'good']);
    delete world.closedSinks;
  });

  test.each(['./Nowhere42.js', 'Nowhere42.mjs', './Nowhere42.cts'])(
    '%s is repeated, because it names a file',
    (spec) => expect(make({ extra: [spec] })).rejects.toThrow(`SINKS: ${spec}: no such`),
  );

  test.each(['./Nowhere42.jsx', './Nowhere42.xjs', './Nowhere42'])(
    '%s is not repeated, because it may be a secret',
    (spec) => expect(make({ extra: [spec] })).rejects.toThrow('SINKS: a text of'),
  );

  test.each(['./nowhere.mjs', 'nowhere.js', 'jobcrier-sink-nowhere', '@scope/nowhere'])(
    '%s is reported as missing',
    async (spec) => {
      const error = await make({ extra: [spec] }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(`SINKS: ${spec}: no such`),
      });
    },
  );

  test.each([
    'K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols=',
    '/K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72olpeUnols=',
    '-----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEH',
    'MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.f9x8w7v6u5t4s3r2q1p0',
    'postgres://crier:Pa55wordOfTheStore@db.example/jobs',
    'correct horse battery staple',
    'mod#ule%2Fname',
  ])('a secret in the place of a name is not repeated: %s', async (spec) => {
    const error = await make({ extra: [spec] }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^SINKS: a text of \d+ characters: (?:no such|can't be loaded)/u),
    });
    for (const part of spec.split(/[/: ]/u).filter((one) => one.length > 6 && !/^postgres/u.test(one)))
      expect((error as Error).message).not.toContain(part);
  });

  test("can't be listed twice", async () => {
    await writeFile(join(folder, 'pigeon.mjs'), GOOD);
    await expect(make({ extra: ['./pigeon.mjs', './pigeon.mjs'] })).rejects.toThrow(
      /named "pigeon" already/u,
    );
  });
});
