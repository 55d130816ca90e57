/** Both ends belong to it. */
export interface CardWindow {
  startAt?: Date;
  endAt?: Date;
}
