// The sink contract for the Discord sink, in a channel and in a forum.
import { expect } from 'vitest';
import { en } from '../../src/render/texts.js';
import type { Fault } from '../helpers/discord/faults.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { layoutText } from '../helpers/discord/validate-layout.js';
import { discordSink } from '../helpers/discord-delivery.js';
import { sinkContract } from './contract.js';

const FAULTS: Record<'target' | 'content' | 'outage', Fault> = {
  target: { kind: 'status', status: 403, body: { code: 50013, message: 'Missing Permissions' } },
  content: { kind: 'status', status: 400, body: { code: 50035, message: 'Invalid Form Body' } },
  outage: { kind: 'status', status: 503 },
};

for (const type of ['text', 'forum'] as const)
  sinkContract(`discord in a ${type} channel`, {
    badTargets: [undefined, '', '#jobs', 'https://discord.com/channels/1/2', 'dm:me'],
    faults: ['target', 'content', 'outage'],
    async open() {
      const discord = await startDiscord();
      const { sink, rest } = discordSink(discord, { timeoutMs: 5_000 });
      const channel = discord.addGuild({ channels: [{ name: 'jobs', type }] }).channel('jobs');
      const isSend = ({ method, path }: { method: string; path: string }) =>
        method === 'POST' && /\/(?:messages|threads)$/u.test(path);
      return {
        sink,
        target: `channel:${channel.id}`,
        received: () =>
          discord.allMessages().map(({ content, embeds, components }) => ({
            format: 'json' as const,
            body: JSON.stringify({ content, embeds, components }),
            note: en.card.note,
          })),
        // A forum post has no nonce.
        ...(type === 'text'
          ? {
              ids: () =>
                discord.requests
                  .filter(isSend)
                  .map(({ body }) => String((body as { nonce?: unknown }).nonce)),
            }
          : {}),
        fail: (fault) => {
          discord.faults.next(isSend, FAULTS[fault]);
        },
        hang: () => {
          discord.faults.next(isSend, { kind: 'hang' });
        },
        reached: () => discord.requests.some(({ status }) => status === 'hang'),
        async close() {
          await rest.close();
          await discord.close();
          expect(discord.violations.filter((line) => !line.includes('Injected'))).toEqual([]);
        },
      };
    },
    harmless(received) {
      // Labels of the menu are plain text wherever Discord shows them.
      const rendered = received.flatMap(({ body }) => {
        const { content, embeds, components } = JSON.parse(body) as {
          content: string;
          embeds: Record<string, string>[];
          components: unknown;
        };
        const lists = embeds.flatMap(({ title, description }) => [title ?? '', description ?? '']);
        return [content, layoutText(components), ...lists];
      });
      const text = rendered.join('\n');
      expect(text).toContain('javascript:');
      expect(text).not.toContain('[free](javascript:');
      expect(text).not.toMatch(/(?<!\\)<@1>|(?<!\\)@everyone/u);
    },
  });
