// Every interaction is acknowledged in time and answered: while the jobs API hangs, after a bug, and when Discord
// loses an acknowledgement or an answer, or sends the event twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Services } from '../../src/ports/services.js';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';

let house: BotHouse;
afterEach(async () => {
  await house.close();
});

const slash = (
  command: string,
  options: Parameters<BotHouse['admin']['slash']>[1] = {},
  user = house.admin,
) => user.slash(command, options, { guild: house.guild });

/** Services in which the named calls wait until `release`. */
function held(services: Services, ...names: (keyof Services)[]): { services: Services; release(): void } {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting = names.map((name) => [
    name,
    async (...args: unknown[]) => {
      await gate;
      return (services[name] as (...given: unknown[]) => unknown)(...args);
    },
  ]);
  return { services: { ...services, ...Object.fromEntries(waiting) } as Services, release: () => release() };
}

describe('in time', () => {
  test('acknowledges while the jobs API or the store hangs, and answers in the end', {
    tags: 'long',
  }, async () => {
    let gate: ReturnType<typeof held> | undefined;
    house = await openHouse({
      services: (services) => {
        gate = held(services, 'subscribe', 'preview', 'subscriptions', 'setToken', 'pause');
        return gate.services;
      },
    });
    const modal = await slash('/token set').modal();
    const asked = [
      slash('/jobs subscribe', { tags: 'rust' }),
      slash('/jobs preview', { tags: 'rust' }),
      slash('/jobs list'),
      slash('/help'),
      house.admin.submit(modal, { token: house.board.token }),
    ];
    for (const one of asked) {
      await one.acked(3000);
      expect(one.ackMs).toBeLessThan(3000);
    }
    gate?.release();
    for (const one of asked) {
      const reply = await one.reply();
      expect(reply.loading).toBe(false);
      expect(reply.ephemeral).toBe(true);
      expect(reply.text).not.toMatch(/went wrong/u);
    }
    expect(house.discord.violations).toEqual([]);
  });

  test('keeps the message of a button until the answer is there', { tags: 'long' }, async () => {
    let calls = 0;
    let gate: ReturnType<typeof held> | undefined;
    house = await openHouse({
      services: (services) => {
        gate = held(services, 'pause');
        const { pause } = gate.services;
        return {
          ...gate.services,
          pause: (...args) => {
            calls++;
            return pause(...args);
          },
        };
      },
    });
    const panel = await slash('/jobs subscribe', { tags: 'rust' }).reply();
    const press = house.admin.press(panel, 'Pause');
    expect(await press.acked(3000)).toBe(6);
    // A second press meanwhile is acknowledged and does nothing.
    const second = house.admin.press(panel, 'Pause');
    expect(await second.acked(3000)).toBe(6);
    gate?.release();
    expect((await press.replyWhere((message) => message.text.includes('Paused'))).id).toBe(panel.id);
    expect(second.followUps()).toEqual([]);
    expect(calls).toBe(1);
    expect(house.discord.violations).toEqual([]);
  });
});

test('opens a form by a button when a slow store makes it late, also while the store is still slow', {
  tags: 'long',
}, async () => {
  let slow = false;
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  house = await openHouse({ startBot: false });
  const { misc } = house.app.pipeline.stores;
  const wait = async <T>(work: () => Promise<T>): Promise<T> => {
    if (slow) await gate;
    return work();
  };
  const bot = await house.newBot({
    services: {
      ...house.services,
      async subscription(...args) {
        if (slow) await sleep(1_300);
        return house.services.subscription(...args);
      },
    },
    misc: {
      ...misc,
      get: (...args) => wait(() => misc.get(...args)),
      set: (...args) => wait(() => misc.set(...args)),
    },
  });
  await bot.start();
  await house.discord.until(() => bot.health().commands, 'the commands');
  const done = await slash('/jobs subscribe', { tags: 'rust' }).reply();
  const panel = await house.admin
    .press(done, 'Edit')
    .replyWhere((message) => message.text.includes('What would you like to change?'));
  slow = true;
  const press = house.admin.press(panel, 'What: tags, words, pay');
  const late = await press.replyWhere((message) => message.text.includes('The form is ready'));
  expect(late.ephemeral).toBe(true);
  expect(late.id).not.toBe(panel.id);
  const modal = await house.admin.press(late, 'Continue').modal();
  expect(JSON.stringify(modal.components)).toContain('rust');
  slow = false;
  release();
  // The form is stored too, and opens again after a restart.
  await house.restartBot();
  expect(JSON.stringify(await house.admin.press(late, 'Continue').modal())).toContain('rust');
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
  expect(house.discord.violations).toEqual([]);
});

test('answers a request that never ends while Discord still allows it, in a separate message', {
  tags: 'long',
}, async () => {
  house = await openHouse({ startBot: false });
  const never = () => new Promise<never>(() => undefined);
  const bot = await house.newBot({
    services: { ...house.services, preview: never, pause: never },
    patienceMs: 3000,
  });
  await bot.start();
  await house.discord.until(() => bot.health().commands, 'the commands');
  expect((await slash('/jobs preview', { tags: 'rust' }).reply()).text).toMatch(
    /takes longer than it should/u,
  );
  const panel = await slash('/jobs subscribe', { tags: 'rust' }).reply();
  const late = await house.admin.press(panel, 'Pause').reply();
  expect(late.text).toMatch(/takes longer than it should.*<\/jobs list:\d+>/u);
  expect(late.ephemeral).toBe(true);
  expect(house.discord.violations).toEqual([]);
});

describe('while the jobs API gives no answer', () => {
  const account = () => `discord:${house.admin.id}`;
  const wordsOf = async (asked: ReturnType<typeof slash>) => {
    const reply = await asked.reply();
    expect(reply.loading).toBe(false);
    return reply.text;
  };

  test('makes one request, and notifies the person after the time limit', { tags: 'long' }, async () => {
    house = await openHouse({ interactiveMs: 1000 });
    const panel = await slash('/jobs subscribe', { tags: 'rust', every: 'daily', timezone: 'UTC' }).reply();
    const modal = await slash('/token set').modal();
    house.front.answer('hang');
    const asked = house.front.asked.length;
    expect(await wordsOf(slash('/jobs preview', { tags: 'solidity, rust' }))).toMatch(/does not answer/u);
    expect(await wordsOf(slash('/jobs subscribe', { tags: 'solidity' }))).toMatch(/Nothing was stored/u);
    expect(await wordsOf(house.admin.press(panel, 'Preview'))).toMatch(/does not answer/u);
    expect(await wordsOf(house.admin.submit(modal, { token: 'a-token-of-mine-0001' }))).toMatch(
      /ending in `0001` is stored encrypted, but could not be tested/u,
    );
    expect(house.front.asked.length - asked).toBeLessThanOrEqual(5);
    expect(await house.app.services.subscriptions({ account: account() })).toHaveLength(1);
    expect(house.discord.violations).toEqual([]);
  });

  test.each([
    ['fails', { status: 503 }, /does not answer/u],
    ['breaks off', 'reset', /does not answer/u],
    ['asks for a long pause', { status: 429, headers: { 'retry-after': '60' } }, /asks for a pause/u],
  ] as const)('makes no second request when it %s', { tags: 'long' }, async (_name, answer, words) => {
    house = await openHouse();
    house.front.answer(answer);
    const asked = house.front.asked.length;
    expect(await wordsOf(slash('/jobs preview', { tags: 'rust' }))).toMatch(words);
    expect(house.front.asked.length - asked).toBe(1);
    expect(await wordsOf(slash('/jobs subscribe', { tags: 'rust' }))).toMatch(words);
    expect(house.front.asked.length - asked).toBeLessThanOrEqual(2);
    expect(await house.app.services.subscriptions({ account: account() })).toEqual([]);
  });
});

describe('at a stop', () => {
  test('ends what waits for the API immediately, and stores nothing', { tags: 'long' }, async () => {
    house = await openHouse({ interactiveMs: 60_000 });
    house.front.answer('hang');
    const before = house.front.asked.length;
    const asked = [slash('/jobs preview', { tags: 'rust' }), slash('/jobs subscribe', { tags: 'solidity' })];
    await house.discord.until(() => house.front.asked.length > before, 'the question to the API');
    for (const one of asked) await one.acked();
    house.app.endAsks();
    for (const one of asked) expect((await one.reply()).text).toMatch(/is restarting. Nothing was stored/u);
    await house.bot.stop();
    expect(await house.app.services.subscriptions({ account: `discord:${house.admin.id}` })).toEqual([]);
    expect(house.discord.violations).toEqual([]);
  });

  test('notifies everyone who still waits, and changes nothing by a late answer', {
    tags: 'long',
  }, async () => {
    let gate: ReturnType<typeof held> | undefined;
    house = await openHouse({
      services: (services) => {
        gate = held(services, 'preview', 'pause');
        return gate.services;
      },
    });
    const panel = await slash('/jobs subscribe', { tags: 'rust' }).reply();
    const preview = slash('/jobs preview', { tags: 'rust' });
    const press = house.admin.press(panel, 'Pause');
    for (const one of [preview, press]) await one.acked();
    await house.bot.stop();
    const told = await preview.reply();
    expect(told.text).toMatch(/is restarting\. Try again in a minute/u);
    expect(told.ephemeral).toBe(true);
    // The panel is not changed; the answer is a separate message.
    const beside = await press.reply();
    expect(beside.id).not.toBe(panel.id);
    expect(beside.text).toMatch(/is restarting/u);
    gate?.release();
    await sleep(50);
    expect((await preview.reply()).text).toBe(told.text);
    expect(house.discord.violations).toEqual([]);
  });
});

describe('after a bug', () => {
  const broken = (services: Services): Services => {
    const fail = async () => {
      throw new Error('SECRET internals at /src/store.ts:42');
    };
    return { ...services, subscriptions: fail, preview: fail, pause: fail, marks: fail };
  };

  test('answers with one sentence and a reference, and logs the reason with the same reference', async () => {
    house = await openHouse({ services: broken });
    for (const [command, options] of [
      ['/jobs list', {}],
      ['/jobs preview', { tags: 'rust' }],
      ['/jobs saved', {}],
    ] as const) {
      const reply = await slash(command, options).reply();
      expect(reply.ephemeral).toBe(true);
      expect(reply.text).not.toMatch(/SECRET|\.ts|Error/u);
      const reference = /code: ([0-9a-f]{8})/u.exec(reply.text)?.[1];
      expect(reference).toBeDefined();
      const line = house.logs.find((one) => one.reference === reference);
      expect(line).toMatchObject({ level: 'error', reason: expect.stringContaining('SECRET') });
    }
    expect(house.discord.violations).toEqual([]);
  });

  test('returns empty suggestions', async () => {
    house = await openHouse({ services: broken });
    const { guild } = house;
    expect(await house.admin.autocomplete('/jobs show', 'subscription', 'x', {}, { guild })).toEqual([]);
  });

  test('answers a button in a separate message, and keeps its message', { tags: 'long' }, async () => {
    house = await openHouse({
      services: (services) => ({ ...broken(services), subscriptions: services.subscriptions }),
    });
    const panel = await slash('/jobs subscribe', { tags: 'rust' }).reply();
    const reply = await house.admin.press(panel, 'Pause').reply();
    expect(reply.id).not.toBe(panel.id);
    expect(reply.ephemeral).toBe(true);
    expect(reply.text).toMatch(/code: [0-9a-f]{8}/u);
    expect(house.discord.violations).toEqual([]);
  });
});

describe('when Discord fails', () => {
  const CALLBACK = 'POST /interactions/:id/:token/callback';
  const EDIT = 'PATCH /webhooks/:app/:token/messages/:id';

  test.each([
    ['a 500 before', { kind: 'status', status: 500 }],
    ['a 500 after it was stored', { kind: '500-after-store' }],
    ['a dropped socket', { kind: 'drop' }],
    ['a dropped socket after it was stored', { kind: 'drop-after-store' }],
  ] as const)('%s at the acknowledgement does not lose the answer', async (_name, fault) => {
    house = await openHouse();
    house.discord.faults.next(CALLBACK, fault);
    const reply = await slash('/jobs preview', { tags: 'rust' }).reply();
    expect(reply.text).toMatch(/current postings match/u);
    house.discord.faults.next(CALLBACK, fault);
    const direct = await slash('/token status').reply();
    expect(direct.text).toMatch(/is set and was accepted/u);
  });

  test.each([
    ['500s', { kind: 'status', status: 500 }],
    ['dropped sockets', { kind: 'drop' }],
    ['drops after it was stored', { kind: 'drop-after-store' }],
  ] as const)('%s at the edit leave no “thinking…” message', { tags: 'long' }, async (_name, fault) => {
    house = await openHouse();
    house.discord.faults.next(EDIT, fault, 3);
    const reply = await slash('/jobs preview', { tags: 'rust' }).reply();
    expect(reply.loading).toBe(false);
    expect(reply.text).toMatch(/current postings match/u);
    expect(house.discord.violations).toEqual([]);
  });

  test('answers when Discord refuses a form', async () => {
    house = await openHouse();
    const refusal = { code: 50035, message: 'Invalid Form Body' };
    house.discord.faults.next(CALLBACK, { kind: 'status', status: 400, body: refusal });
    expect((await slash('/token set').reply()).text).toMatch(/Something went wrong on my side/u);
  });

  test('handles an event once when it comes twice', async () => {
    house = await openHouse();
    const asked = slash('/jobs subscribe', { tags: 'rust' });
    house.discord.gateway.replayLastInteraction();
    await asked.reply();
    house.discord.gateway.replayLastInteraction();
    await slash('/token status').reply();
    const account = `discord:${house.admin.id}`;
    expect(await house.app.services.subscriptions({ account })).toHaveLength(1);
    expect(house.discord.violations).toEqual([]);
  });

  test('does not perform a request that it could not acknowledge in time', async () => {
    house = await openHouse({ discord: { ackDeadlineMs: -1 } });
    slash('/jobs subscribe', { tags: 'rust' });
    await house.discord.until(
      () => house.logs.some((line) => line.message === 'interaction was gone before it was acknowledged'),
      'the late acknowledgement',
    );
    await sleep(50);
    const account = `discord:${house.admin.id}`;
    expect(await house.app.services.subscriptions({ account })).toEqual([]);
    expect(house.logs.filter((line) => line.level === 'error')).toEqual([]);
  });
});

describe('in the language of the person', () => {
  test.each([
    ['de', /Du hast keine Abos/u, /nimmt diesen Token nicht an/u, /kein Tag, das die Jobbörse kennt/u],
    ['es-ES', /No tienes suscripciones/u, /no acepta este token/u, /no es una etiqueta/u],
    ['es-419', /No tienes suscripciones/u, /no acepta este token/u, /no es una etiqueta/u],
    ['fr', /You have no subscriptions/u, /does not accept this token/u, /is not a tag/u],
  ])('%s: answers, forms and refusals', { tags: 'long' }, async (locale, none, refused, fault) => {
    house = await openHouse();
    house.admin.record.locale = locale;
    expect((await slash('/jobs list').reply()).text).toMatch(none);
    const modal = await slash('/token set').modal();
    expect((await house.admin.submit(modal, { token: 'some-wrong-token-123' }).reply()).text).toMatch(
      refused,
    );
    expect((await slash('/jobs subscribe', { tags: 'qqqq' }).reply()).text).toMatch(fault);
    expect(house.discord.violations).toEqual([]);
  });

  test('describes a subscription in it, and stores it for later notices', { tags: 'long' }, async () => {
    house = await openHouse();
    house.admin.record.locale = 'de';
    const reply = await slash('/jobs subscribe', {
      tags: 'rust',
      country: 'Deutschland',
      every: 'hourly',
    }).reply();
    expect(reply.text).toMatch(/Verstanden: \*\*Rust, Land: Deutschland\*\*.*stündlich/u);
    expect(reply.text).toMatch(/Vorschau[\s\S]*Ändern[\s\S]*Pausieren/u);
    expect((await house.app.services.profile(`discord:${house.admin.id}`))?.locale).toBe('de');
  });
});
