import http from 'node:http';
import { createOutgoing } from '../../src/platform/outgoing/index.ts';
import { nameResolver } from '../../src/platform/outgoing/resolve-name.ts';

/** Posts to each URL of the order and prints what became of it; then calls one as Node does without us. */
const { nameServer, port, urls, plainUrl } = JSON.parse(process.argv[2]!);
const policy = { allowsLoopbackHttp: true, ports: [port], allowedBlocks: ['127.0.0.0/8'] };
const outgoing = createOutgoing(policy, nameResolver([nameServer]));
const outcomes: string[] = [];
for (const url of urls) {
  const post = { headers: {}, body: '{}', timeoutMs: 60_000, answerBytesMax: 1_000 };
  const outcome = await outgoing.post(url, post).then(
    ({ status }) => `${status}`,
    ({ message }: Error) => message,
  );
  outcomes.push(outcome);
}
await new Promise((resolve) => {
  http.get(plainUrl, { timeout: 60_000 }, resolve).on('error', resolve);
});
console.log(JSON.stringify(outcomes));
process.exit(0);
