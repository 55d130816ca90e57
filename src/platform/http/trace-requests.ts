import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LazyChildLog, type Log } from '../observe/log.ts';
import type { Span } from '../observe/traces/span.ts';
import { parseTraceparent } from '../observe/traces/traceparent.ts';
import type { Traces } from '../observe/traces/traces.ts';

type Hooked = FastifyInstance<Server, IncomingMessage, ServerResponse, Log, TypeBoxTypeProvider>;

/** One span for each request, below the caller's if it sent a valid `traceparent`. */
export function traceRequests(server: Hooked, traces: Traces): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { method } = request;
    // The route's pattern, never the URL: a path or query may contain secrets or personal data.
    const route = request.routeOptions.url;
    // Pages call routes by `inject`, without a socket.
    const isOwn = !(request.raw.socket instanceof Socket);
    const parent = parseTraceparent(request.headers.traceparent) ?? (isOwn ? traces.current() : undefined);
    const span = traces.begin(route === undefined ? method : `${method} ${route}`, parent, {
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route, 'causeway.request.id': request.id },
    });
    spans.set(request, span);
    if (request.log instanceof LazyChildLog) request.log.bind({ traceId: span.traceId });
    traces.enter(span, done);
  });
  // A body arrives in events of the socket, which are outside of the span.
  server.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) traces.enter(span, done);
    else done();
  });
  server.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request);
    if (span) {
      span.attributes['http.response.status_code'] = statusCode;
      span.hasFailed = statusCode >= 500;
      traces.end(span);
    }
    done();
  });
  server.addHook('onRequestAbort', (request, done) => {
    const span = spans.get(request);
    if (span) {
      span.attributes['error.type'] = 'aborted';
      traces.end(span);
    }
    done();
  });
}
