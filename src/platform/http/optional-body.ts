/** A hook before validation: the body may be left out, because all of it is optional. */
export const optionalBody = async (request: { body: unknown }): Promise<void> => {
  request.body ??= {};
};
