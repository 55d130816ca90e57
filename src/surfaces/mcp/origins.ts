/** Allowed origins of web pages, and allowed host names. */
export interface AllowedPlaces {
  /** `scheme://host` or `scheme://host:port`, the port `*` for any. */
  mcpAllowedOrigins?: readonly string[];
  /** Without ports; empty allows any. */
  mcpAllowedHosts?: readonly string[];
}

/** Only browsers send an origin; refuse pages that are not listed. */
export function createPlaceChecks({ mcpAllowedOrigins = [], mcpAllowedHosts = [] }: AllowedPlaces) {
  const origins = new Set(mcpAllowedOrigins.map((origin) => origin.toLowerCase()));
  const hosts = new Set(mcpAllowedHosts.map((host) => host.toLowerCase()));
  return {
    isAllowedOrigin: (origin: string) => {
      const plain = origin.toLowerCase();
      return origins.has(plain) || origins.has(`${plain.replace(/:\d{1,5}$/, '')}:*`);
    },
    isAllowedHost: (host: string) =>
      hosts.size === 0 || hosts.has(host.toLowerCase().replace(/:\d{1,5}$/, '')),
  };
}
