/** What every request says of who asks and where; the session and the project's route set it. */
export const requestContext: { projectId: string | null; csrfToken: string | null } = {
  projectId: null,
  csrfToken: null,
};

const safe = ['GET', 'HEAD', 'OPTIONS'];

/** @param method of the request that they are for */
export function contextHeaders(method: string): Record<string, string> {
  const { projectId, csrfToken } = requestContext;
  return {
    ...(projectId ? { 'x-project-id': projectId } : {}),
    ...(csrfToken && !safe.includes(method) ? { 'x-csrf-token': csrfToken } : {}),
  };
}
