import { type Answer, ApiPromise } from './api-promise.ts';

/** What a method knows about its pages; the two paging conventions of the API differ only here. */
export interface Paging<T, Info> {
  read(number: number): Promise<Answer<{ items: T[]; info: Info; message?: string }>>;
  hasNext(info: Info, items: readonly T[]): boolean;
  /** Tells items apart, so that one that moved to the next page while it was read is not returned twice. */
  keyOf(item: T): string;
}

/** One page of a list; iterating over it continues through all pages after it. */
export class Page<T, Info> implements AsyncIterable<T> {
  readonly items: readonly T[];
  /** The page information as the API sent it. */
  readonly info: Info;
  readonly hasNextPage: boolean;
  /** Names parameters that the server ignored. */
  readonly message?: string;
  readonly #paging: Paging<T, Info>;
  readonly #number: number;

  constructor(paging: Paging<T, Info>, number: number, read: { items: T[]; info: Info; message?: string }) {
    this.#paging = paging;
    this.#number = number;
    this.items = read.items;
    this.info = read.info;
    this.message = read.message;
    this.hasNextPage = paging.hasNext(read.info, read.items);
  }

  /** The next page, or undefined after the last one. */
  async next(): Promise<Page<T, Info> | undefined> {
    return this.hasNextPage ? new ListPromise(this.#paging, this.#number + 1) : undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let before = new Set<string>();
    for (let page: Page<T, Info> | undefined = this; page; page = await page.next()) {
      const keys = page.items.map((item) => this.#paging.keyOf(item));
      for (const [at, item] of page.items.entries()) if (!before.has(keys[at]!)) yield item;
      before = new Set(keys);
    }
  }
}

/** A promise of one page, and an iterator over every item from that page on. */
export class ListPromise<T, Info> extends ApiPromise<Page<T, Info>> implements AsyncIterable<T> {
  constructor(paging: Paging<T, Info>, number: number) {
    super(
      paging.read(number).then(({ data, response }) => ({ data: new Page(paging, number, data), response })),
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* await this;
  }
}
