// An AI assistant: the SDK's own client, over HTTP.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { later } from './later.js';

interface Posting {
  readonly key: string;
  readonly title: string;
  readonly applyUrl?: string;
  readonly noLink?: string;
  readonly mark?: string;
}

/** The fields of all tools' answers that tests read. */
export interface Told {
  readonly note?: string;
  readonly total?: number;
  readonly matches?: number;
  readonly postings?: readonly Posting[];
  readonly subscription?: { readonly id: string; readonly state: string };
  readonly subscriptions?: readonly {
    readonly id: string;
    readonly state: string;
    readonly polledAt?: string;
    readonly matched?: number;
  }[];
  readonly fates?: readonly { readonly subscription: string; readonly fate: string }[];
  readonly [field: string]: unknown;
}

export interface Assistant {
  readonly client: Client;
  /** The answer of a tool. Throws its text when it is an error. */
  ask(tool: string, args?: Record<string, unknown>): Promise<Told>;
  /** The answer as it is, before it is read as JSON. */
  text(tool: string, args?: Record<string, unknown>): Promise<string>;
}

export function assistantOf(client: Client): Assistant {
  async function text(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [first] = content as { type: string; text: string }[];
    if (isError) throw new Error(first?.text);
    return first?.text ?? '';
  }
  return { client, text, ask: async (tool, args) => JSON.parse(await text(tool, args)) as Told };
}

/** Connects to `/mcp` at an address with an access key. */
export async function connectAssistant(url: string, key: string): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as never,
  );
  later(() => client.close());
  return assistantOf(client);
}
