import type { Endpoint } from '#libs/contracts';
import type { ServiceTokens } from '#libs/service-kit';

/** Whether the gateway marked a request as its own, for this App's project. A false mark has no effect. */
export async function isProbe(
  tokens: Pick<ServiceTokens, 'verify'>,
  mark: string,
  { organization_id: organizationId, project_id: projectId }: Endpoint,
): Promise<boolean> {
  try {
    const by = await tokens.verify(mark);
    return (
      by.subject === 'service:adapter-gateway' && by.organizationId === organizationId && by.projectId === projectId
    );
  } catch {
    return false;
  }
}
