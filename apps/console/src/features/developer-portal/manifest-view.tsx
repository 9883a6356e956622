import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { FieldList } from '../../ui/facts.js';
import { OutsideLink } from '../../ui/links.js';

const texts = developerPortalTexts.manifest;

/** The manifest of an adapter, for people. */
export function ManifestView({ manifest }: { manifest: Schema<'ManifestView'> }): ReactNode {
  const { slug, category, capabilities, schema_version, author, credentials, events = [], skill } = manifest;
  return (
    <Stack gap="lg">
      <FieldList
        fields={[
          [texts.slug, <code key="slug">{slug}</code>],
          [texts.category, category],
          [texts.capabilities, capabilities.length > 0 ? <Names key="can" names={capabilities} /> : texts.none],
          [texts.schema, schema_version],
          [
            texts.author,
            author && (
              <OutsideLink key="author" href={author.url}>
                {author.name}
              </OutsideLink>
            ),
          ],
          [texts.skill, skill?.name],
          [texts.tools, skill?.tool_names && <Names key="tools" names={skill.tool_names} />],
          [texts.events, events.length > 0 && <Names key="events" names={events.map(({ type }) => type)} />],
        ]}
      />
      <div>
        <Text fw={500} mb={4}>
          {texts.credentials}
        </Text>
        {credentials.length === 0 && <Text c="dimmed">{texts.none}</Text>}
        {credentials.length > 0 && (
          <Table.ScrollContainer minWidth={460}>
            <Table aria-label={texts.credentials} verticalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.key}</Table.Th>
                  <Table.Th>{texts.label}</Table.Th>
                  <Table.Th>{texts.type}</Table.Th>
                  <Table.Th>{texts.mapsTo}</Table.Th>
                  <Table.Th>{texts.required}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {credentials.map(({ key, label, type, maps_to, required }) => (
                  <Table.Tr key={key}>
                    <Table.Td>
                      <code>{key}</code>
                    </Table.Td>
                    <Table.Td>{label}</Table.Td>
                    <Table.Td>{type}</Table.Td>
                    <Table.Td>
                      <code>{maps_to}</code>
                    </Table.Td>
                    <Table.Td>{required === false ? texts.no : texts.yes}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </div>
    </Stack>
  );
}

function Names({ names }: { names: readonly string[] }): ReactNode {
  return (
    <Group gap={4}>
      {names.map((name) => (
        <Badge key={name} variant="default" radius="sm" tt="none" fw={500}>
          {name}
        </Badge>
      ))}
    </Group>
  );
}
