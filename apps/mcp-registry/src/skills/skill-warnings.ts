import type { SkillContent } from '../entities/skill-version.entity.js';

/** Something that a Skill cannot do as it is set up, and what to do. */
export interface SkillWarning {
  code: 'credential_without_host';
  /** The name of the credential. */
  credential: string;
  message: string;
}

/** `http_request` sends a credential only to hosts that are named, so calls go out without one that names none. */
export function skillWarnings({ tools, credentials }: Pick<SkillContent, 'tools' | 'credentials'>): SkillWarning[] {
  if (!tools.some(({ tool, enabled }) => enabled && tool === 'builtin:http_request')) return [];
  return credentials
    .filter(({ hosts = [] }) => hosts.length === 0)
    .map(({ as }) => ({
      code: 'credential_without_host',
      credential: as,
      message:
        `http_request sends ${as} to no host: neither a manifest nor a person names one. Set its hosts here; ` +
        'a record that names hosts itself is sent to those when a call names it.',
    }));
}
