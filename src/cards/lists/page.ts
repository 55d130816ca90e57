/** Which page of a list, counted from 0. */
export interface CardPage {
  currentPage: number;
  pageSize: number;
}

/** Both ends belong to it. */
export interface CardWindow {
  startAt?: Date;
  endAt?: Date;
}
