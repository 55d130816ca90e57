import type { ManagerCtx } from './endpoint.ts';
import { findEndpoint } from './find-endpoint.ts';
import { type EndpointView, presentEndpoint } from './wire.ts';

export const showEndpoint = async (
  ctx: ManagerCtx,
  { endpointId }: { endpointId: string },
): Promise<EndpointView> => presentEndpoint(await findEndpoint(ctx, endpointId), ctx.now);
