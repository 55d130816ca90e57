import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { SilentSockets } from './silent-sockets.ts';

/** Both ends of a connection. */
async function open(t: TestContext): Promise<{ ours: Socket; theirs: Socket }> {
  const server = createServer();
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const theirs = connect((server.address() as AddressInfo).port, '127.0.0.1');
  theirs.on('error', () => {});
  t.after(() => theirs.destroy());
  const [ours] = (await once(server, 'connection')) as [Socket];
  ours.resume();
  return { ours, theirs: theirs.resume() };
}

test('what is sent does not move the deadline', async (t) => {
  const { ours, theirs } = await open(t);
  // `once` of node:events would reject on the reset that a write after the end is answered with.
  const closed = new Promise((resolve) => theirs.once('close', resolve));
  new SilentSockets(300).keep(ours);
  const dripping = setInterval(() => theirs.write('\r\n'), 20);
  t.after(() => clearInterval(dripping));
  await closed;
});

test('a request ends the deadline; a stop closes what is silent, also later', async (t) => {
  const [asked, silent, later] = [await open(t), await open(t), await open(t)];
  const sockets = new SilentSockets(60_000);
  sockets.keep(asked.ours);
  sockets.keep(silent.ours);
  sockets.forget(asked.ours);
  const closed = Promise.all([silent, later].map(({ theirs }) => once(theirs, 'close')));
  sockets.close();
  sockets.keep(later.ours);
  await closed;
  assert.equal(asked.ours.destroyed, false);
});
