// The MCP server on standard input and output, for a program that starts jobcrier itself.
import { setImmediate } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Agent } from '../../ports/services.js';
import { createMcpServer, type McpDeps } from './mcp.js';

/** Serves until the input ends or the signal aborts. Only messages of the protocol are written to the output. */
export async function serveStdio(
  { stdin, stdout }: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream },
  signal: AbortSignal,
  agent: Agent,
  deps: McpDeps,
): Promise<void> {
  const calls = new Set<Promise<unknown>>();
  const server = createMcpServer(agent, deps, async (call) => {
    calls.add(call);
    return call.finally(() => calls.delete(call));
  });
  const over = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
    signal.addEventListener('abort', () => resolve());
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  if (!signal.aborted) await over;
  // A program may close its side right after its last question.
  await Promise.allSettled(calls);
  await setImmediate();
  await server.close();
}
