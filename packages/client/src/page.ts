import { type Answer, ApiPromise } from './api-promise.ts';

/** What a method knows about its pages, by number or by cursor: paging in the API differs only here. */
export interface Paging<T, Info, At> {
  read(at: At): Promise<Answer<{ items: T[]; info: Info; message?: string }>>;
  /** Where the page after the one at `at` is; undefined if that one is the last. */
  nextAt(at: At, info: Info, items: readonly T[]): At | undefined;
  /** Tells items apart, so that one that moved to the next page while it was read is not returned twice. */
  keyOf(item: T): string;
}

/** One page of a list; iterating over it continues through all pages after it. */
export class Page<T, Info, At = number> implements AsyncIterable<T> {
  readonly items: readonly T[];
  /** The page information as the API sent it. */
  readonly info: Info;
  readonly hasNextPage: boolean;
  /** Names parameters that the server ignored. */
  readonly message?: string;
  readonly #paging: Paging<T, Info, At>;
  readonly #nextAt: At | undefined;

  constructor(paging: Paging<T, Info, At>, at: At, read: { items: T[]; info: Info; message?: string }) {
    this.#paging = paging;
    this.#nextAt = paging.nextAt(at, read.info, read.items);
    this.items = read.items;
    this.info = read.info;
    this.message = read.message;
    this.hasNextPage = this.#nextAt !== undefined;
  }

  /** The next page, or undefined after the last one. */
  async next(): Promise<Page<T, Info, At> | undefined> {
    return this.#nextAt === undefined ? undefined : new ListPromise(this.#paging, this.#nextAt);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let before = new Set<string>();
    for (let page: Page<T, Info, At> | undefined = this; page; page = await page.next()) {
      const keys = page.items.map((item) => this.#paging.keyOf(item));
      for (const [at, item] of page.items.entries()) if (!before.has(keys[at]!)) yield item;
      before = new Set(keys);
    }
  }
}

/** A promise of one page, and an iterator over every item from that page on. */
export class ListPromise<T, Info, At = number>
  extends ApiPromise<Page<T, Info, At>>
  implements AsyncIterable<T>
{
  constructor(paging: Paging<T, Info, At>, at: At) {
    super(paging.read(at).then(({ data, response }) => ({ data: new Page(paging, at, data), response })));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }
}

/** The items of an answer. */
export function requireList<T>(items: T[]): T[] {
  if (!Array.isArray(items)) throw new TypeError('no list');
  return items;
}
