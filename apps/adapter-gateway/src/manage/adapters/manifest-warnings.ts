import type { Manifest } from '#libs/adapter-sdk';
import { builtinTools } from '#libs/contracts';

/** Something in a manifest that has no effect, for whoever approves it. */
export interface ManifestWarning {
  /** Path in the manifest, such as `skill.tool_names[1]`. */
  field: string;
  message: string;
}

/** What a valid manifest names but does not exist; it can be in force all the same. */
export function manifestWarnings({ skill }: Pick<Manifest, 'skill'>): ManifestWarning[] {
  const named: unknown = skill?.tool_names;
  if (!Array.isArray(named)) return [];
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
