/** Both ends belong to it. */
export interface CardWindow {
  startAt?: Date;
  endAt?: Date;
}

/** A page, by places. */
export interface Slice {
  offset: number;
  limit: number;
}
