import { Type } from 'typebox';
import { closed, dateTime, nullable, uuid } from '#platform/http/schemas';
import { timesMax } from './content-key.ts';
import { fileBytesMax } from './read-file.ts';

/** JSON may need two characters for one of the file. */
export const uploadBytesMax = 2 * fileBytesMax + 64 * 1024;

export const uploadBody = Type.Object(
  { userId: uuid, csv: Type.String({ maxLength: fileBytesMax, description: 'The content of the file' }) },
  closed,
);
export const uploadPath = Type.Object({ uploadId: uuid });
export const confirmBody = Type.Object(
  {
    times: Type.Integer({
      minimum: 0,
      maximum: timesMax - 1,
      description: 'How often the same content was paid before and is now paid once more; else 0',
    }),
    repeats: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000,
        description: 'How many `repeats` you saw. If there are more now, nothing is paid',
      }),
    ),
  },
  closed,
);

const text = Type.String();

export const uploadPreview = Type.Object(
  {
    id: uuid,
    userId: uuid,
    createdAt: dateTime,
    rows: Type.Array(
      Type.Object({
        row: Type.Integer({ description: 'As a spreadsheet counts: the head is row 1' }),
        to: text,
        amount: text,
        currency: text,
        network: text,
        externalId: nullable(text),
      }),
    ),
    faults: Type.Array(Type.Object({ row: Type.Integer(), field: text, message: text })),
    totals: Type.Array(
      Type.Object({
        currency: text,
        network: text,
        amount: text,
        count: Type.Integer(),
        available: Type.String({ description: 'What the account of the user has now' }),
      }),
    ),
    verdicts: nullable(
      Type.Object({
        needApproval: nullable(Type.Integer()),
        denied: Type.Array(Type.Object({ row: Type.Integer(), message: text })),
      }),
      { description: 'What the rules say now; null without rules, or if rows are at fault' },
    ),
    paid: Type.Array(Type.Object({ bulkId: uuid, createdAt: dateTime }), {
      description: 'Earlier payments of the same content',
    }),
    repeats: Type.Array(
      Type.Object({
        row: Type.Integer(),
        likeRow: nullable(Type.Integer(), { description: 'The first row with the same payment' }),
        like: nullable(Type.Object({ id: uuid, createdAt: dateTime }), {
          description: 'The newest withdrawal with the same payment',
        }),
      }),
      {
        description:
          'Rows that may pay a second time: recipient, amount and asset are those of a row before, or of a withdrawal of the same user in the last seven days that did not fail',
      },
    ),
  },
  { title: 'UploadPreview' },
);

export const confirmedUpload = Type.Object(
  {
    bulkId: uuid,
    count: Type.Integer(),
    isReplay: Type.Boolean({ description: 'It was paid before; nothing was created now' }),
  },
  { title: 'ConfirmedUpload' },
);
