/** A long text with what Markdown has: headings, lists, a table, a quotation, code and a link. */
export const COLD_CHAIN = `# Cold chain handbook

How we move goods that must stay between 2 and 8 °C, from the packing of the pallet to the signature of the receiver. It applies to all lanes in Europe; lanes to Asia have [their own sheet](https://wiki.kestrel.example/asia).

## Before loading

1. Check that the reefer was **pre-cooled to 4 °C** for at least two hours.
2. Place one logger at the door and one in the middle of the load.
3. Photograph the set point and the seal, and attach both to the shipment.

> A truck that arrives warm is sent back. It is never cooled with the goods inside.

## Limits

| Product | Range | Longest excursion | Who decides |
|---|---|---|---|
| Vaccines | 2–8 °C | 10 minutes | Quality desk of the client |
| Insulin | 2–8 °C | 30 minutes | Quality desk of the client |
| Chilled food | 0–5 °C | 45 minutes | Shift lead |
| Flowers | 4–12 °C | 2 hours | Driver |

## If a logger reports an excursion

The driver calls the shift lead, who opens a ticket of the kind \`TEMP\` and names the shipment, the time and the highest temperature. The goods wait in a cooled bay until the client has decided. Nothing is unloaded before.

### After office hours

The on-call desk has the numbers of the quality desks. Brightwater Pharma answers within 15 minutes, day and night; the others from 6 in the morning.

## Claims

Keep the readings of both loggers for five years. A claim without readings is lost.
`;
