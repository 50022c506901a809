// The simplest HTTP server: node:http and one prepared answer. It runs as a separate process and gets its answer by a
// message:
// `{ status, headers, body }` (base64).
import { createServer } from 'node:http';

let status = 404;
let headers = {};
let body = Buffer.alloc(0);

const server = createServer((_request, response) => {
  response.writeHead(status, headers).end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));

process.on('message', (message) => {
  status = message.status;
  headers = message.headers;
  body = Buffer.from(message.body, 'base64');
  process.send({ bytes: body.length });
});
