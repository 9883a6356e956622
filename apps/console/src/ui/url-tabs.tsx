import { Skeleton, Tabs } from '@mantine/core';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import classes from './url-tabs.module.css';

export interface UrlTab<Value extends string> {
  value: Value;
  label: string;
  /** May be lazy: it is loaded when it is first opened. */
  content: ReactNode;
}

interface UrlTabsProps<Value extends string> {
  label: string;
  value: Value;
  tabs: readonly UrlTab<Value>[];
  /** Navigates: the open tab is in the URL. */
  onChange: (value: Value) => void;
}

/** Parts of a page, one at a time. Only the open one is rendered. */
export function UrlTabs<Value extends string>({ label, value, tabs, onChange }: UrlTabsProps<Value>): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  // On a phone the list is wider than the screen: the open one is in sight.
  useEffect(() => {
    const open = list.current?.querySelector<HTMLElement>('[aria-selected=true]');
    if (!list.current || !open) return;
    const { offsetLeft: left, offsetWidth: width } = open;
    list.current.scrollLeft = left - list.current.offsetLeft - (list.current.clientWidth - width) / 2;
  }, [value]);
  return (
    <Tabs
      value={value}
      keepMounted={false}
      onChange={(next) => {
        const tab = tabs.find((one) => one.value === next);
        if (tab) onChange(tab.value);
      }}
    >
      <Tabs.List ref={list} aria-label={label} className={classes.list}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} value={tab.value}>
          <Suspense fallback={<Skeleton height={240} />}>{tab.content}</Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
