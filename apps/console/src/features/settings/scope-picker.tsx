import { Checkbox, Group, Input, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { hasScope } from '../../api/session.js';
import { own } from '../../own.js';
import { settingsTexts } from '../../texts/settings.js';

interface ScopePickerProps {
  /** What may be chosen: the scopes that the person has. */
  offered: readonly string[];
  value: readonly string[];
  error?: string;
  onChange: (scopes: string[]) => void;
}

const texts = settingsTexts.scopes;

/** Single scopes, grouped by resource. A write scope includes the read scope. */
export function ScopePicker({ offered, value, error, onChange }: ScopePickerProps): ReactNode {
  const toggle = (scope: string, on: boolean): void =>
    onChange(on ? [...value, scope] : value.filter((one) => one !== scope));
  return (
    <Input.Wrapper label={texts.label} labelElement="div" error={error}>
      <Table verticalSpacing={5} horizontalSpacing={0} mt={4}>
        <Table.Tbody>
          {resourcesOf(offered).map(({ resource, scopes }) => (
            <Table.Tr key={resource}>
              <Table.Th scope="row" fw={400}>
                {own(texts.resources, resource) ?? resource}
              </Table.Th>
              <Table.Td>
                <Group gap="sm" justify="flex-end">
                  {scopes.map((scope) => {
                    const implied = !value.includes(scope) && hasScope(value, scope);
                    return (
                      <Checkbox
                        key={scope}
                        size="xs"
                        label={own(texts.may, suffixOf(scope)) ?? suffixOf(scope)}
                        aria-label={scope}
                        checked={implied || value.includes(scope)}
                        disabled={implied}
                        onChange={(event) => toggle(scope, event.currentTarget.checked)}
                      />
                    );
                  })}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Input.Wrapper>
  );
}

/** `apps` of `apps:write`. */
const resourceOf = (scope: string): string => scope.split(':')[0] ?? scope;

/** `write` of `apps:write`; the scope itself if it is one word. */
export const suffixOf = (scope: string): string => scope.split(':')[1] ?? scope;

/** Scopes grouped by resource, each group once, in the given order. */
export function resourcesOf(scopes: readonly string[]): { resource: string; scopes: string[] }[] {
  const groups = Map.groupBy(new Set(scopes), resourceOf);
  return [...groups].map(([resource, of]) => ({ resource, scopes: of }));
}
