import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

export interface UrlTab<Name extends string> {
  name: Name;
  label: string;
  /** Beside the label: how many there are. */
  mark?: ReactNode;
  content: () => ReactNode;
}

interface UrlTabsProps<Name extends string> {
  label: string;
  tabs: readonly UrlTab<Name>[];
  /** What the URL says; the first tab when it says nothing. */
  value: Name | undefined;
  onChange: (name: Name | undefined) => void;
}

/** Parts of a page, of which the URL names the one that shows. */
export function UrlTabs<Name extends string>({ label, tabs, value, onChange }: UrlTabsProps<Name>): ReactNode {
  const first = tabs[0]?.name;
  const active = tabs.some(({ name }) => name === value) ? value : first;
  const choose = (chosen: string | null): void => {
    const tab = tabs.find(({ name }) => name === chosen);
    onChange(tab?.name === first ? undefined : tab?.name);
  };
  return (
    <Tabs value={active ?? null} onChange={choose} keepMounted={false}>
      <Tabs.List aria-label={label} mb="md" style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.name} value={tab.name} rightSection={tab.mark}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.name} value={tab.name}>
          {tab.content()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
