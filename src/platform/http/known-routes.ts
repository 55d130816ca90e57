/**
 * Remembers routes as they are mounted, to answer 405 with `Allow` where the path is known and the method is
 * not.
 */
export class KnownRoutes {
  readonly #routes: { parts: string[]; methods: string[] }[] = [];

  add(pattern: string, method: string | string[]): void {
    this.#routes.push({ parts: pattern.split('/'), methods: [method].flat() });
  }

  /** The methods of a path, without its query, in alphabetical order. */
  methodsOf(url: string): string[] {
    const path = url.split(/[?#]/, 1)[0]!.split('/');
    const methods = this.#routes
      .filter(({ parts }) => matches(parts, path))
      .flatMap((route) => route.methods);
    return [...new Set(methods)].sort();
  }
}

function matches(parts: readonly string[], path: readonly string[]): boolean {
  if (parts.at(-1) === '*')
    return path.length >= parts.length && matches(parts.slice(0, -1), path.slice(0, parts.length - 1));
  return (
    parts.length === path.length &&
    parts.every((part, at) => (part.startsWith(':') ? path[at] !== '' : part === path[at]))
  );
}
