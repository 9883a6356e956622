import { Select, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Role, useMayGrant, useRoles } from '../../api/roles.js';
import { settingsTexts } from '../../texts/settings.js';

interface RoleSelectProps {
  value: Role['name'];
  onChange: (role: Role['name']) => void;
  disabled?: boolean;
  error?: string;
}

const texts = settingsTexts.members;

/** A role, and what it may do. Roles that this person may not give are listed with the reason. */
export function RoleSelect({ value, onChange, disabled, error }: RoleSelectProps): ReactNode {
  const { data: roles = [] } = useRoles();
  const mayGrant = useMayGrant();
  const chosen = roles.find(({ name }) => name === value);
  const above = roles.filter((role) => !mayGrant(role)).map(({ name }) => settingsTexts.roleNames[name]);
  return (
    <Stack gap={4}>
      <Select
        label={texts.role}
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
          {texts.notGrantable(above)}
        </Text>
      )}
    </Stack>
  );
}
