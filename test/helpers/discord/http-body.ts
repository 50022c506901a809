// Reads a request body the way Discord accepts it: JSON, or multipart with payload_json and files.
import type { IncomingMessage } from 'node:http';
import { refusal } from './errors.js';
import { snowflake } from './state.js';
import type { StoredFile } from './types.js';

export interface ReadBody {
  json: unknown;
  /** By the number in `files[n]`, which attachment entries refer to. */
  files: Map<string, StoredFile>;
}

/** Collects the whole body; refuses broken JSON with 50109 when parsed. */
export async function readRaw(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export async function parseBody(contentType: string, raw: Buffer): Promise<ReadBody> {
  const files = new Map<string, StoredFile>();
  if (raw.length === 0) return { json: undefined, files };
  if (!contentType.startsWith('multipart/form-data')) {
    if (!contentType.startsWith('application/json')) throw refusal('invalidJson');
    return { json: parseJson(raw.toString('utf8')), files };
  }
  const form = await new Response(new Uint8Array(raw), {
    headers: { 'content-type': contentType },
  }).formData();
  let json: unknown = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      if (name === 'payload_json') json = parseJson(value);
      continue;
    }
    const number = /^files\[(\d+)\]$/.exec(name)?.[1];
    if (number === undefined) throw refusal('invalidJson');
    files.set(number, {
      id: snowflake(),
      name: value.name,
      contentType: value.type,
      data: Buffer.from(await value.arrayBuffer()),
    });
  }
  return { json, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal('invalidJson');
  }
}
