import type { Manifest } from '#libs/adapter-sdk';
import { builtinTools } from '#libs/contracts';
import { sharedWithSkill } from './shared-with-skill.js';

/** Something in a manifest that has no effect, or lacks what gives it one, for whoever approves it. */
export interface ManifestWarning {
  /** Path in the manifest, such as `skill.tool_names[1]`. */
  field: string;
  message: string;
}

/** What a valid manifest names in vain or does not name; it can be in force all the same. */
export function manifestWarnings({
  skill,
  credentials,
  webhook,
}: Pick<Manifest, 'skill' | 'credentials' | 'webhook'>): ManifestWarning[] {
  const named: unknown = skill?.tool_names;
  if (!Array.isArray(named)) return [];
  return [...unknownTools(named), ...(named.includes('http_request') ? hostless({ credentials, webhook }) : [])];
}

/** `http_request` sends a credential only to hosts that are named. */
function hostless(manifest: Pick<Manifest, 'credentials' | 'webhook'>): ManifestWarning[] {
  const shared = sharedWithSkill(manifest);
  return manifest.credentials.flatMap((declared, at) =>
    shared.includes(declared) && (declared.hosts ?? []).length === 0
      ? [
          {
            field: `credentials[${at}].hosts`,
            message: `names no host, so http_request sends ${declared.key} nowhere until a person names hosts in the Skill`,
          },
        ]
      : [],
  );
}

function unknownTools(named: unknown[]): ManifestWarning[] {
  const known = builtinTools.map(({ name }) => name);
  return named.flatMap((name: unknown, at) =>
    known.some((one) => one === name)
      ? []
      : [
          {
            field: `skill.tool_names[${at}]`,
            message: `there is no tool ${shown(name)}: there are ${known.join(', ')}`,
          },
        ],
  );
}

function shown(name: unknown): string {
  return (typeof name === 'string' ? name : (JSON.stringify(name) ?? 'missing')).slice(0, 100);
}
