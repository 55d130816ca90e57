import { itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** From where `/mcp` may be called. */
export const mcp = {
  MCP_ALLOWED_ORIGINS: {
    meaning:
      'Values of the header `Origin` that `/mcp` accepts, `scheme://host` or `scheme://host:port`, separated by commas. `*` as the port means any port. Only browsers send this header.',
    default: 'http://localhost:*,http://127.0.0.1:*',
    parse: parseOrigins,
  },
  MCP_ALLOWED_HOSTS: {
    meaning: 'Host names, without port, that `/mcp` accepts, separated by commas. If empty, any host name.',
    default: '',
    example: 'mcp.example.com,[::1]',
    parse: parseHosts,
  },
} satisfies Record<string, Setting>;

/** Writes origins as browsers send them: an origin in any other spelling would never match the header. */
function parseOrigins({ text, fault }: Reading): string[] {
  return itemsOf(text).map((item) => {
    const [, scheme = '', host = '', port] =
      /^([a-z][a-z0-9+.-]*):\/\/([^/?#@*\\]+?)(?::(\*|\d{1,5}))?$/i.exec(item) ?? [];
    // Browsers send lower-case hosts for http and https, and leave out the default port.
    const isWeb = /^https?$/i.test(scheme);
    const url = URL.parse(`${isWeb ? scheme : 'http'}://${host}${port && port !== '*' ? `:${port}` : ''}`);
    if (scheme === '' || !url || !isHost(url.hostname))
      fault(
        'MCP_ALLOWED_ORIGINS must be origins such as https://app.example.com or http://localhost:*, separated by commas.',
      );
    else if (!isWeb) return item.toLowerCase();
    else return port === '*' ? `${url.origin}:*` : url.origin;
    return item;
  });
}

function parseHosts({ text, fault }: Reading): string[] {
  return itemsOf(text).map((item) => {
    const host = /^(\[[^\]]*\]|[^:/?#@\\]+)$/.test(item) ? URL.parse(`http://${item}`)?.hostname : undefined;
    if (host && isHost(host)) return host;
    fault(
      'MCP_ALLOWED_HOSTS must be host names without port, such as mcp.example.com or [::1], separated by commas.',
    );
    return item;
  });
}

const isHost = (text: string) => /^([a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/.test(text);
