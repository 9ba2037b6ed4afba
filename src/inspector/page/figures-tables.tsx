// The figures by name, and minute by minute.

import type { PlainTally } from '../../observe/tally.ts'
import type { FiguresAnswer } from '../api.ts'
import { AccountsTable } from './accounts-table.tsx'
import { firstOutput, repairWords, share, shortCost, totalOf } from './figures-sums.ts'
import { clock, count } from './format.ts'

const mostRows = 8

export function FiguresTables({ figures }: { figures: FiguresAnswer }) {
  const total = totalOf(figures)
  return (
    <>
      <div class="tables">
        <TallyTable title="Models" named={figures.models} />
        <TallyTable title="Clients" named={figures.clients} />
        {figures.keys.length > 1 ? <TallyTable title="Keys" named={figures.keys} /> : null}
      </div>
      <div class="tables short">
        <CountTable title="Tools" unit="calls" counts={total.tools} />
        <CountTable title="Errors" unit="turns" counts={total.errors} />
        <CountTable title="Repairs" unit="times" counts={total.repairs} words={repairWords} />
      </div>
      <AccountsTable accounts={figures.accounts ?? []} />
      <details class="minutes">
        <summary>Minute by minute</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, also by keyboard. */}
        <section aria-label="Minute by minute" tabIndex={0}>
          <Minutes figures={figures} />
        </section>
      </details>
    </>
  )
}

const nameOf = (name: string) => (name === '' ? 'others' : name)

function TallyTable({ title, named }: { title: string; named: FiguresAnswer['models'] }) {
  if (named.length === 0) return null
  const rest = named.length - mostRows
  return (
    <section>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{title.slice(0, -1)}</th>
            <th scope="col">Turns</th>
            <th scope="col">Errors</th>
            <th scope="col">Tokens</th>
            <th scope="col" class="wide">
              Cached
            </th>
            <th scope="col" class="wide">
              First output
            </th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {named.slice(0, mostRows).map(([name, tally]) => (
            <TallyRow key={name} name={nameOf(name)} tally={tally} />
          ))}
        </tbody>
      </table>
      {rest > 0 ? <p class="muted">and {rest} more</p> : null}
    </section>
  )
}

function TallyRow({ name, tally }: { name: string; tally: PlainTally }) {
  const { turns = 0, failed = 0, input = 0, output = 0, cacheRead = 0, cacheable = 0 } = tally
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td class="number">{count(turns)}</td>
      <td class={`number ${failed > 0 ? 'bad' : ''}`}>{count(failed)}</td>
      <td class="number">
        {count(input)}→{count(output)}
      </td>
      <td class="number wide">{share(cacheRead, cacheable)}</td>
      <td class="number wide">{firstOutput(tally, 0.5)}</td>
      <td class="number">{shortCost(tally.cost)}</td>
    </tr>
  )
}

interface CountTableProps {
  title: string
  unit: string
  counts: PlainTally['tools']
  words?: (name: string) => string
}

function CountTable({ title, unit, counts = [], words = nameOf }: CountTableProps) {
  const rest = counts.slice(mostRows).reduce((sum, [, number]) => sum + number, 0)
  return (
    <section>
      <table class="counts">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {counts.slice(0, mostRows).map(([name, number]) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{words(name)}</bdi>
              </th>
              <td class="number">{count(number)}</td>
            </tr>
          ))}
          {counts.length === 0 ? (
            <tr>
              <td colSpan={2} class="muted">
                none
              </td>
            </tr>
          ) : null}
        </tbody>
      </table>
      {rest > 0 ? <p class="muted">and {count(rest)} more</p> : null}
    </section>
  )
}

/** The charts as a table, the newest minute first. */
function Minutes({ figures: { from, minutes } }: { figures: FiguresAnswer }) {
  return (
    <table>
      <caption>Each minute of the last hour, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">Minute</th>
          <th scope="col">Turns</th>
          <th scope="col">Errors</th>
          <th scope="col">Tokens in</th>
          <th scope="col">Tokens out</th>
          <th scope="col">Cached</th>
          <th scope="col">First output</th>
          <th scope="col">95 %</th>
          <th scope="col">Retries</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {minutes
          .map((tally, at) => (
            <tr key={from + at}>
              <th scope="row" class="number">
                {clock((from + at) * 60_000).slice(0, 5)}
              </th>
              <td class="number">{count(tally.turns ?? 0)}</td>
              <td class="number">{count(tally.failed ?? 0)}</td>
              <td class="number">{count(tally.input ?? 0)}</td>
              <td class="number">{count(tally.output ?? 0)}</td>
              <td class="number">{tally.turns ? share(tally.cacheRead ?? 0, tally.cacheable ?? 0) : '–'}</td>
              <td class="number">{tally.turns ? firstOutput(tally, 0.5) : '–'}</td>
              <td class="number">{tally.turns ? firstOutput(tally, 0.95) : '–'}</td>
              <td class="number">{count((tally.retries ?? 0) + (tally.fallbacks ?? 0))}</td>
              <td class="number">{shortCost(tally.cost)}</td>
            </tr>
          ))
          .reverse()}
      </tbody>
    </table>
  )
}
