import type { SpanOptions } from '#platform/observe/traces/span';
import type { Traces } from '#platform/observe/traces/traces';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';

/** Records each HTTP request to a node as a span. Nodes do not receive `traceparent`. */
export function traceProvider(provider: Provider, network: string, traces: Traces): Provider {
  const about = (method: string, calls: number): SpanOptions => ({
    kind: 'client',
    attributes: {
      'rpc.system': 'jsonrpc',
      'rpc.method': method,
      'causeway.network': network,
      'rpc.calls': calls,
    },
  });
  return {
    call: (method, params, timeoutMs) =>
      traces.inSpan(`${network} ${method}`, about(method, 1), () => provider.call(method, params, timeoutMs)),
    batch(calls, timeoutMs) {
      const methods = [...new Set(calls.map(({ method }) => method))].join(',');
      return traces.inSpan(`${network} ${methods}`, about(methods, calls.length), async (span) => {
        const results = await provider.batch(calls, timeoutMs);
        if (span) span.hasFailed = results.some((result) => result instanceof NodeError);
        return results;
      });
    },
  };
}
