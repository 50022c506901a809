// A small discord.js client in this process, for testing the local Discord itself.
import { Client, GatewayIntentBits, type Interaction, type TextChannel } from 'discord.js';
import type { Discord } from './start-discord.js';

export interface TestBot {
  client: Client<true>;
  /** Errors of the interaction listener or the client. */
  errors: unknown[];
  channel: (id: string) => TextChannel;
  stop: () => Promise<void>;
}

export async function connectBot(
  discord: Discord,
  onInteraction: (interaction: Interaction) => Promise<void> = async () => {},
  retries = 3,
): Promise<TestBot> {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: discord.apiUrl, version: '10', retries },
  });
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  client.on('shardError', (error) => errors.push(error));
  client.on('interactionCreate', (interaction) => {
    onInteraction(interaction).catch((error: unknown) => errors.push(error));
  });
  const ready = new Promise<void>((resolve) => {
    client.once('clientReady', () => resolve());
  });
  await client.login(discord.token);
  await ready;
  return {
    client: client as Client<true>,
    errors,
    channel: (id) => client.channels.cache.get(id) as TextChannel,
    stop: () => client.destroy(),
  };
}

/** Commands for the tests: subcommands, autocomplete, a permission. */
export const COMMANDS = [
  {
    name: 'jobs',
    description: 'Job subscriptions',
    contexts: [0, 1],
    integration_types: [0, 1],
    options: [
      {
        type: 1,
        name: 'subscribe',
        description: 'Subscribe',
        options: [
          { type: 3, name: 'tags', description: 'Tags', required: true, autocomplete: true },
          { type: 7, name: 'channel', description: 'Where', required: false, channel_types: [0, 5] },
          { type: 4, name: 'min_salary', description: 'Least salary', min_value: 0 },
        ],
      },
      { type: 1, name: 'list', description: 'List' },
    ],
  },
  { name: 'token', description: 'API token', options: [{ type: 1, name: 'set', description: 'Set' }] },
  { name: 'manage', description: 'For admins', default_member_permissions: '16', contexts: [0] },
];
