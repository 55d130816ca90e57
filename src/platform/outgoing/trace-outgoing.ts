import { writeTraceparent } from '../observe/traces/traceparent.ts';
import type { Traces } from '../observe/traces/traces.ts';
import type { Outgoing } from './outgoing.ts';

/** Records each request as a span, and names it to the receiver by `traceparent`. */
export const traceOutgoing = (outgoing: Outgoing, traces: Traces): Outgoing => ({
  ...outgoing,
  post(url, post) {
    // Only the host: a path or query may contain secrets.
    const attributes = { 'http.request.method': 'POST', 'server.address': hostOf(url) };
    return traces.inSpan('POST', { kind: 'client', attributes }, async (span) => {
      if (!span) return outgoing.post(url, post);
      const headers = { ...post.headers, traceparent: writeTraceparent(span) };
      const answer = await outgoing.post(url, { ...post, headers });
      span.attributes['http.response.status_code'] = answer.status;
      span.hasFailed = answer.status >= 400;
      return answer;
    });
  },
});

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : undefined);
