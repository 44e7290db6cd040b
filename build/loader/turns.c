/* Turns at the memory that the loader shares with the core. */

#include "loader.h"

void wait_for_turn(gosmp_flag *turn)
{
	while (!try_turn(turn))
		yield_processor();
}
