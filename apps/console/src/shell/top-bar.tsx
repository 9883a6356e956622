import { ActionIcon, Burger, Text } from '@mantine/core';
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { shellTexts } from '../texts/shell.js';
import classes from './shell.module.css';

/** Where there is no room for the navigation: opens it. */
export function TopBar({ onOpen, onSearch }: { onOpen: () => void; onSearch: () => void }): ReactNode {
  return (
    <header className={classes.topBar}>
      <Burger size="sm" aria-label={shellTexts.openNavigation} onClick={onOpen} />
      <Text fw={600} flex={1}>
        {shellTexts.product}
      </Text>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={shellTexts.search} onClick={onSearch}>
        <Search size={18} aria-hidden />
      </ActionIcon>
    </header>
  );
}
