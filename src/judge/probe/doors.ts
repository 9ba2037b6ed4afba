// By which door the probe goes in.

import type { Door } from './doors/door.ts'

export const doorNames = ['chat', 'messages', 'responses'] as const
export type DoorName = (typeof doorNames)[number]

export async function loadDoor(name: DoorName): Promise<Door> {
  if (name === 'messages') return (await import('./doors/messages.ts')).messagesDoor
  if (name === 'responses') return (await import('./doors/responses.ts')).responsesDoor
  return (await import('./doors/chat.ts')).chatDoor
}
