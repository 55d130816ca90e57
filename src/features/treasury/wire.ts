import { Type } from 'typebox';
import { dateTime, nullable } from '#platform/http/schemas';

const amount = Type.String({ description: 'Decimal string' });

/** What `treasury.show` answers. */
export const lastComparison = Type.Object({
  networks: Type.Array(
    Type.Object({
      network: Type.String(),
      reconciledAt: nullable(dateTime, { description: 'Null: it was never compared' }),
      block: nullable(Type.Integer()),
      isCounting: Type.Boolean({ description: 'Some wallets are not counted yet' }),
    }),
  ),
  assets: Type.Array(
    Type.Object({
      network: Type.String(),
      currency: Type.String(),
      chain: Type.With(amount, { description: 'Held on chain' }),
      owed: Type.With(amount, { description: 'Owed to users' }),
      difference: amount,
      unexplained: amount,
      shortfall: amount,
      since: nullable(dateTime, {
        description: 'When the oldest open transfer was seen that makes it differ',
      }),
      explanations: Type.Array(
        Type.Object({
          name: Type.String(),
          amount,
          count: Type.Integer(),
          examples: Type.Array(Type.String({ description: 'transactionHash:logIndex' })),
        }),
      ),
    }),
  ),
});
