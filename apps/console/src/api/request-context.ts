/** The headers of every request: who asks and in which project. The session and the project's route set them. */
export const requestContext: { projectId: string | null; csrfToken: string | null } = {
  projectId: null,
  csrfToken: null,
};

const safe = ['GET', 'HEAD', 'OPTIONS'];

/** @param method of the request */
export function contextHeaders(method: string): Record<string, string> {
  const { projectId, csrfToken } = requestContext;
  return {
    ...(projectId ? { 'x-project-id': projectId } : {}),
    ...(csrfToken && !safe.includes(method) ? { 'x-csrf-token': csrfToken } : {}),
  };
}
