import { Button, Kbd, Modal, Table } from '@mantine/core';
import { Keyboard } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { conversationTexts } from '../../texts/conversations.js';

const texts = conversationTexts.keys;

interface ListKeysProps {
  /** Presses `e` on a row. */
  onDone: (index: number) => void;
}

const rowsOf = () => [...document.querySelectorAll<HTMLElement>('[role=row][data-link=true]')];
const arrows: Readonly<Record<string, string>> = { j: 'ArrowDown', k: 'ArrowUp' };

/** The keys of the inbox, while nobody types and nothing is open over the page; and the button that names them. */
export function ListKeys({ onDone }: ListKeysProps): ReactNode {
  const [helps, setHelps] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const types =
        target instanceof Element &&
        target.closest('input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog]');
      if (types || ctrlKey || metaKey || altKey) return;
      if (!press(key, () => setHelps(true), onDone)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onDone]);
  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        leftSection={<Keyboard size={14} aria-hidden />}
        onClick={() => setHelps(true)}
      >
        {texts.open}
      </Button>
      <Modal opened={helps} onClose={() => setHelps(false)} title={texts.title}>
        <Table aria-label={texts.title}>
          <Table.Tbody>
            {texts.list.map(([key, does]) => (
              <Table.Tr key={key}>
                <Table.Td w={80}>
                  <Kbd>{key}</Kbd>
                </Table.Td>
                <Table.Td>{does}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Modal>
    </>
  );
}

/** @returns whether the key means something here */
function press(key: string, onHelp: () => void, onDone: (index: number) => void): boolean {
  const focused = document.activeElement?.closest<HTMLElement>('[role=row][data-link=true]');
  const arrow = arrows[key];
  if (arrow !== undefined) {
    if (focused) focused.dispatchEvent(new KeyboardEvent('keydown', { key: arrow, bubbles: true }));
    else
      rowsOf()
        .find(({ tabIndex }) => tabIndex === 0)
        ?.focus();
  } else if (key === '/') {
    document.querySelector<HTMLElement>(`input[aria-label="${conversationTexts.filters.text}"]`)?.focus();
  } else if (key === '?') {
    onHelp();
  } else if (key === 'e' && focused) {
    onDone(Number(focused.dataset['index']));
  } else return false;
  return true;
}
