import { Group, Select, Text } from '@mantine/core';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './assign-list.module.css';
import { IconAction } from './icon-action.js';

export interface Assignable {
  id: string;
  name: string;
  description?: string;
  /** Beside its name: a grade, a state. */
  mark?: ReactNode;
  link?: ReactNode;
}

interface AssignListProps {
  label: string;
  hint?: string;
  add: string;
  none: string;
  nothingLeft: string;
  removeLabel: (name: string) => string;
  /** Given: their order counts, and people change it. */
  moveLabel?: { up: (name: string) => string; down: (name: string) => string };
  options: readonly Assignable[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** Below each chosen item. */
  extra?: (id: string) => ReactNode;
}

const longest = 110;

/** What something has, and a search for more to add. */
export function AssignList(props: AssignListProps): ReactNode {
  const { label, hint, add, none, nothingLeft, removeLabel, moveLabel, options, chosen, onChange, extra } = props;
  const left = options.filter(({ id }) => !chosen.includes(id));
  const rows = chosen.map((id) => options.find((option) => option.id === id) ?? { id, name: id });
  return (
    <section aria-label={label}>
      <Text fw={600}>{label}</Text>
      {hint && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      <ul className={classes.list}>
        {rows.length === 0 && <li className={classes.none}>{none}</li>}
        {rows.map(({ id, name, description, mark, link }: Assignable, index) => (
          <li key={id} className={classes.row}>
            <div className={classes.text}>
              <Group gap={8}>
                {link ?? <Text fw={500}>{name}</Text>}
                {mark}
              </Group>
              {description && (
                <Text size="sm" c="dimmed" lineClamp={2}>
                  {description}
                </Text>
              )}
              {extra?.(id)}
            </div>
            {moveLabel && index > 0 && (
              <IconAction
                label={moveLabel.up(name)}
                icon={ArrowUp}
                onPress={() => onChange(swapped(chosen, index - 1))}
              />
            )}
            {moveLabel && index < rows.length - 1 && (
              <IconAction
                label={moveLabel.down(name)}
                icon={ArrowDown}
                onPress={() => onChange(swapped(chosen, index))}
              />
            )}
            <IconAction
              label={removeLabel(name)}
              icon={X}
              onPress={() => onChange(chosen.filter((one) => one !== id))}
            />
          </li>
        ))}
      </ul>
      <Select
        aria-label={add}
        placeholder={add}
        searchable
        maw={420}
        value={null}
        nothingFoundMessage={nothingLeft}
        maxDropdownHeight={320}
        data={left.map(({ id, name }) => ({ value: id, label: name }))}
        renderOption={({ option }) => <Choice option={left.find(({ id }) => id === option.value)} />}
        onChange={(id) => id && onChange([...chosen, id])}
      />
    </section>
  );
}

/** With the one after it. */
function swapped(ids: readonly string[], index: number): string[] {
  return [...ids.slice(0, index), ...ids.slice(index, index + 2).reverse(), ...ids.slice(index + 2)];
}

function Choice({ option }: { option: Assignable | undefined }): ReactNode {
  if (!option) return null;
  const { name, description = '', mark } = option;
  return (
    <div style={{ minWidth: 0 }}>
      <Group gap={8}>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        {mark}
      </Group>
      <Text size="xs" c="dimmed">
        {description.length > longest ? `${description.slice(0, longest)}…` : description}
      </Text>
    </div>
  );
}
