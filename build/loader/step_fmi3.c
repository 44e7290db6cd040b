/* fmi3DoStep. With a callback for intermediate updates, the core returns at each event within the
 * step. The loader then calls the host while no Go frame is on the stack, so that a callback that
 * throws or jumps unwinds none. Afterwards it lets the core continue, unless the step must return
 * early. */

#include "forward_fmi3.h"

/* update calls the host at an event, and reports whether the step must return there. The step fails
 * if a call within the callback has failed, or if the instance no longer exists. */
static fmi3Status update(instance *i, handle h, const step_arguments *a, int *returns)
{
	fmi3Boolean requested = 0;
	fmi3Float64 time = *a->last;
	if (!intermediate_update(i, 1))
		return fmi3Error;
	i->update.callback(i->update.environment, *a->last, 0, 1, 1, i->update.early_allowed != 0,
	                   &requested, &time);
	if (find_instance(h) != i)
		return fmi3Fatal;
	/* A requested time that has not been reached yet is handled at the next event, or at the
	   end. */
	*returns = i->update.early_allowed && (*a->event || (requested && time <= *a->last));
	return intermediate_update(i, 0) ? fmi3OK : fmi3Error;
}

/* rest_discarded ends a step if the model has discarded a later part of it. The earlier parts
 * cannot be undone, as a discarded step would require. */
static fmi3Status rest_discarded(instance *i, const step_arguments *a, fmi3Status worst)
{
	if (!i->update.early_allowed) {
		report_error(i, "fmi3DoStep: the rest of the step after an intermediate update was "
		                "discarded; the step can only end there if earlyReturnAllowed is true");
		return fmi3Error;
	}
	*a->early = 1;
	*a->last = a->time;
	return worst;
}

/* steps takes the parts of a step, each of which ends at an event. */
static fmi3Status steps(instance *i, handle h, step_arguments a)
{
	const fmi3Float64 end = a.time + a.size;
	fmi3Status worst = core_step(i, a);
	while (worst <= fmi3Warning && i->update.callback != NULL && *a.early &&
	       !(*a.terminate && i->update.early_allowed)) {
		int returns = 0;
		fmi3Status status = update(i, h, &a, &returns);
		if (status != fmi3OK || returns)
			return status > worst ? status : worst;
		a.time = *a.last;
		a.size = end - a.time;
		status = core_step(i, a);
		if (status == fmi3Discard)
			return rest_discarded(i, &a, worst);
		worst = status > worst ? status : worst;
	}
	return worst;
}

fmi3Status fmi3DoStep(fmi3Instance h, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime)
{
	instance *i = find_instance(h);
	if (i == NULL || core_is_lost(i))
		return refuse(i, h, "fmi3DoStep");
	const fmi3Status result =
		steps(i, h,
	          (step_arguments){currentCommunicationPoint, communicationStepSize,
	                           noSetFMUStatePriorToCurrentPoint, eventHandlingNeeded,
	                           terminateSimulation, earlyReturn, lastSuccessfulTime});
	if (find_instance(h) == i)
		deliver_messages(i, h);
	return result;
}
