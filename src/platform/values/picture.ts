/** New ones are PNG; the others are in databases of earlier releases. */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp';

/** A picture that we serve. */
export interface Picture {
  type: PictureType;
  bytes: Buffer;
}
