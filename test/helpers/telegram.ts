// A local Bot API of Telegram that enforces the rules of the real one (core.telegram.org/bots/api): tokens, chats and
// rights, HTML, lengths, addresses of buttons, 429 with retry_after, one reader of updates at a time.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentMessage {
  readonly chat: string;
  /** The HTML as sent. */
  readonly text: string;
  readonly buttons: readonly { readonly text: string; readonly url: string }[];
  /** Telegram adds a preview of the first link. */
  readonly hasPreview: boolean;
}

type Json = Record<string, unknown>;

/** An answer instead of the usual one. `hang`: no answer. `lose`: the message is stored, and no answer comes. */
type Fault =
  | { readonly status: number; readonly description: string; readonly parameters?: Json }
  | 'hang'
  | 'lose';

export interface TelegramServer {
  readonly url: string;
  readonly token: string;
  readonly sent: SentMessage[];
  /** Methods called, in order. */
  readonly calls: string[];
  /** Adds a chat that the bot may write to. */
  addChat(id: string, title?: string): void;
  /** The bot was blocked there, or removed. */
  close(id: string): void;
  /** Sets a fault for the next message. */
  fail(fault: Fault): void;
  /** A person writes to the bot; `anonymous`: as the admins of a group may, so that the message names no sender. */
  write(
    from: {
      readonly chat: number;
      readonly type?: string;
      readonly language?: string;
      readonly anonymous?: boolean;
    },
    text: string,
  ): void;
  stop(): Promise<void>;
}

const TEXT_MAX = 4096;
const TAGS = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'a', 'code', 'pre', 'blockquote']);

/** What the parser of `parse_mode: HTML` refuses; undefined for text that it accepts. */
export function htmlFault(html: string): string | undefined {
  const open: string[] = [];
  for (const [piece] of html.matchAll(/<[^>]*>?|&[^;\s]{0,10};?|[^<&]+/gu)) {
    if (piece.startsWith('&') && !/^&(?:lt|gt|amp|quot|#\d+|#x[\da-f]+);$/iu.test(piece))
      return `can't parse entities: Unexpected character reference ${piece}`;
    if (!piece.startsWith('<')) continue;
    const [, end, name = ''] = /^<(\/?)([a-z]+)(?:\s+href="[^"<>]*")?>$/u.exec(piece) ?? [];
    if (!TAGS.has(name)) return `can't parse entities: Unsupported start tag "${piece.slice(1, 20)}"`;
    if (end === '') open.push(name);
    else if (open.pop() !== name) return `can't parse entities: Unexpected end tag </${name}>`;
  }
  return open.length > 0 ? `can't parse entities: Can't find end tag of <${open.at(-1)}>` : undefined;
}

/** The text as shown, which the limits count. */
function shownOf(html: string): string {
  return html.replace(/<[^>]*>/gu, '').replace(/&(?:#\w+|\w+);/gu, '.');
}

export async function startTelegram(
  token = '123456789:test-token-of-the-telegram-bot-0001',
): Promise<TelegramServer> {
  const chats = new Map<string, { title: string | undefined; open: boolean }>();
  const sent: SentMessage[] = [];
  const calls: string[] = [];
  const faults: Fault[] = [];
  const updates: Json[] = [];
  /** Readers that wait for messages: ends their wait, with an answer or with a refusal. */
  const waiting = new Set<(refusal?: Exclude<Fault, string>) => void>();
  let lastUpdate = 0;

  const refuse = (status: number, description: string, parameters?: Json) => ({
    status,
    description,
    parameters,
  });

  function messageFault({ chat_id: id, text, parse_mode: mode, reply_markup: markup }: Json) {
    const chat = chats.get(String(id));
    if (!chat) return refuse(400, 'Bad Request: chat not found');
    if (!chat.open) return refuse(403, 'Forbidden: bot was blocked by the user');
    const html = String(text ?? '');
    const broken = mode === 'HTML' ? htmlFault(html) : undefined;
    if (broken) return refuse(400, `Bad Request: ${broken}`);
    const shown = mode === 'HTML' ? shownOf(html) : html;
    if (shown.trim() === '') return refuse(400, 'Bad Request: message text is empty');
    if (shown.length > TEXT_MAX) return refuse(400, 'Bad Request: message is too long');
    for (const { text: label, url } of buttonsOf(markup)) {
      if (label === '') return refuse(400, 'Bad Request: text buttons are unallowed in the inline keyboard');
      if (!/^https?:\/\/[^\s/]+\.[^\s/]+/u.test(url)) return refuse(400, 'Bad Request: BUTTON_URL_INVALID');
    }
    return undefined;
  }

  type Answer = (result: unknown) => void;
  type Refuse = (refusal: Exclude<Fault, string>) => void;
  const methods: Record<string, (body: Json, answer: Answer, refuseLater: Refuse) => unknown> = {
    getMe: (_body, answer) =>
      answer({ id: 123456789, is_bot: true, first_name: 'Crier', username: 'crier_test_bot' }),
    deleteWebhook: (_body, answer) => answer(true),
    getChat: ({ chat_id: id }, answer) => {
      const chat = chats.get(String(id));
      if (!chat) return refuse(400, 'Bad Request: chat not found');
      if (!chat.open) return refuse(403, 'Forbidden: bot is not a member of the channel chat');
      return answer({ id: Number(id) || id, type: 'channel', ...(chat.title ? { title: chat.title } : {}) });
    },
    getUpdates: ({ offset = 0, timeout = 0 }, answer, refuseLater) => {
      for (const end of [...waiting])
        end({ status: 409, description: 'Conflict: terminated by other getUpdates request' });
      while (updates[0] && Number(updates[0].update_id) < Number(offset)) updates.shift();
      if (updates.length > 0 || Number(timeout) === 0) return answer([...updates]);
      const wake = (refusal?: Exclude<Fault, string>) => {
        waiting.delete(wake);
        clearTimeout(timer);
        if (refusal) refuseLater(refusal);
        else answer([...updates]);
      };
      const timer = setTimeout(wake, Number(timeout) * 1000);
      waiting.add(wake);
      return undefined;
    },
    sendMessage: (body, answer) => {
      const fault = messageFault(body);
      if (fault) return fault;
      const { chat_id: chat, text, reply_markup: markup } = body;
      const preview = body.link_preview_options as { is_disabled?: boolean } | undefined;
      const hasPreview = preview?.is_disabled !== true;
      sent.push({ chat: String(chat), text: String(text), buttons: buttonsOf(markup), hasPreview });
      return answer({ message_id: sent.length, date: 0, chat: { id: chat, type: 'channel' }, text });
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/u.exec(request.url ?? '') ?? [];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const reply = (status: number, body: Json) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const failed = ({ status, description, parameters }: Exclude<Fault, string>) =>
      reply(status, { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) });
    if (given !== token) return failed(refuse(401, 'Unauthorized') as never);
    const run = methods[method];
    if (!run) return failed(refuse(404, 'Not Found') as never);
    calls.push(method);
    const fault = method === 'sendMessage' ? faults.shift() : undefined;
    if (fault === 'hang') return;
    if (fault && fault !== 'lose') return failed(fault);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
    const answer = (result: unknown) => {
      if (fault === 'lose') response.destroy();
      else reply(200, { ok: true, result });
    };
    const refused = run(body, answer, failed);
    if (refused) failed(refused as never);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    sent,
    calls,
    addChat: (id, title) => void chats.set(id, { title, open: true }),
    close(id) {
      const chat = chats.get(id);
      if (chat) chat.open = false;
    },
    fail: (fault) => void faults.push(fault),
    write({ chat, type = 'private', language = 'en', anonymous = false }, text) {
      if (!chats.has(String(chat))) chats.set(String(chat), { title: undefined, open: true });
      const command = /^\/\w+/u.exec(text)?.[0];
      updates.push({
        update_id: ++lastUpdate,
        message: {
          message_id: lastUpdate,
          date: 0,
          chat: { id: chat, type },
          ...(anonymous
            ? {}
            : { from: { id: chat, is_bot: false, first_name: 'P', language_code: language } }),
          text,
          ...(command ? { entities: [{ type: 'bot_command', offset: 0, length: command.length }] } : {}),
        },
      });
      for (const wake of [...waiting]) wake();
    },
    async stop() {
      for (const wake of [...waiting]) wake();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function buttonsOf(markup: unknown): { text: string; url: string }[] {
  const read = (typeof markup === 'string' ? JSON.parse(markup) : markup) as
    | { inline_keyboard?: { text?: string; url?: string }[][] }
    | undefined;
  return (read?.inline_keyboard ?? []).flat().map(({ text = '', url = '' }) => ({ text, url }));
}
