import { Paper, Select, Skeleton, Stack, Table, Text } from '@mantine/core';
import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Role, useMayGrant, useRoles } from '../../api/session.js';
import { own } from '../../own.js';
import { settingsTexts } from '../../texts/settings.js';
import { Facts } from '../../ui/facts.js';
import { ProblemAlert } from '../../ui/notices.js';
import { resourcesOf, suffixOf } from './scope-picker.js';

const texts = settingsTexts.roles;

/** What each role may do, side by side. */
export function RoleTable(): ReactNode {
  const { data: roles, error, refetch } = useRoles();
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!roles) return <Skeleton height={420} />;
  const resources = resourcesOf(roles.flatMap(({ scopes }) => scopes));
  return (
    <Stack gap="md">
      <Paper>
        <Facts of={roles.map(({ name, description }) => [settingsTexts.roleNames[name], `${description}.`])} />
      </Paper>
      <Paper p={0}>
        <Table.ScrollContainer
          minWidth={620}
          scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': texts.table } }}
        >
          <Table verticalSpacing={8} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.resource}</Table.Th>
                {roles.map(({ name }) => (
                  <Table.Th key={name}>{settingsTexts.roleNames[name]}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {resources.map(({ resource, scopes }) => (
                <Table.Tr key={resource}>
                  <Table.Th scope="row" fw={400}>
                    {own(settingsTexts.scopes.resources, resource) ?? resource}
                  </Table.Th>
                  {roles.map((role) => (
                    <Table.Td key={role.name}>
                      <Held role={role} scopes={scopes} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </Stack>
  );
}

function Held({ role, scopes }: { role: Role; scopes: string[] }): ReactNode {
  const held = scopes.filter((scope) => role.scopes.some((one) => one === scope));
  if (held.length === 0) return <Minus size={14} aria-label={texts.nothing} color="var(--mantine-color-dimmed)" />;
  const named = held.filter((scope) => !(scope.endsWith(':read') && held.includes(scope.replace(':read', ':write'))));
  const words = named.map((scope) => own(settingsTexts.scopes.may, suffixOf(scope)) ?? suffixOf(scope)).join(', ');
  return (
    <span style={{ display: 'inline-flex', gap: 6, alignItems: 'center' }}>
      <Check size={14} aria-hidden /> {words}
    </span>
  );
}

interface RoleSelectProps {
  value: Role['name'];
  onChange: (role: Role['name']) => void;
  disabled?: boolean;
  error?: string;
}

const memberTexts = settingsTexts.members;

/** A role, and what it may do. Roles that this person may not give are listed with the reason. */
export function RoleSelect({ value, onChange, disabled, error }: RoleSelectProps): ReactNode {
  const { data: roles = [] } = useRoles();
  const mayGrant = useMayGrant();
  const chosen = roles.find(({ name }) => name === value);
  const above = roles.filter((role) => !mayGrant(role)).map(({ name }) => settingsTexts.roleNames[name]);
  return (
    <Stack gap={4}>
      <Select
        label={memberTexts.role}
        data={roles.map((role) => ({
          value: role.name,
          label: settingsTexts.roleNames[role.name],
          disabled: !mayGrant(role),
        }))}
        value={value}
        allowDeselect={false}
        disabled={disabled}
        error={error}
        onChange={(name) => {
          const role = roles.find((one) => one.name === name);
          if (role) onChange(role.name);
        }}
      />
      {chosen && <Text size="sm">{chosen.description}.</Text>}
      {above.length > 0 && (
        <Text size="sm" c="dimmed">
          {memberTexts.notGrantable(above)}
        </Text>
      )}
    </Stack>
  );
}
