// One value per minute as bars, with a second one in front of it. What it shows is also in the table of minutes.

interface MinuteChartProps {
  values: readonly number[]
  /** Part of each value, in the colour of trouble. */
  bad?: readonly number[] | undefined
  label: string
}

const [width, height] = [300, 60]

export function MinuteChart({ values, bad, label }: MinuteChartProps) {
  const top = Math.max(...values, 0)
  const step = width / Math.max(1, values.length)
  const tall = (value: number) => (value <= 0 || top === 0 ? 0 : Math.max(1.5, (value / top) * (height - 3)))
  const bars = (of: readonly number[], kind: string) =>
    of.map((value, at) =>
      value > 0 ? (
        <rect
          key={at}
          class={kind}
          x={at * step + 0.5}
          y={height - 1 - tall(value)}
          width={Math.max(1, step - 1)}
          height={tall(value)}
        />
      ) : null,
    )
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="axis" x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} />
      {bars(values, 'bar')}
      {bad ? bars(bad, 'bar bad') : null}
    </svg>
  )
}
